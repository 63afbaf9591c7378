/**
 * Rows as JSON, one behind the other as in an array, and how many they are. JSON has no line breaks of its own. A page comes
 * as one text, which costs less than as many rows, and goes out as it is, which costs less than to take it apart.
 */
export type Texts = { texts: string | null; count: number };

export const noTexts: Texts = { texts: null, count: 0 };

const separator = ',\n';
/** For SQL. */
export const separatorText = `E',\\n'`;

export function separate({ texts }: Texts): string[] {
  return texts?.split(separator) ?? [];
}

/** The first `limit` of at most one more; and the last of them, where there is one more. */
export function firstTexts({ texts, count }: Texts, limit: number): [texts: string, last: string | null] {
  if (texts === null || count <= limit) return [texts ?? '', null];
  const first = texts.slice(0, texts.lastIndexOf(separator));
  const before = first.lastIndexOf(separator);
  return [first, before < 0 ? first : first.slice(before + separator.length)];
}
