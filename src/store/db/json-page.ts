/**
 * Rows as JSON, separated as in an array, with their number. JSON text has no line breaks of its own. A page as one text
 * costs less than separate rows, and sending it unchanged costs less than parsing it.
 */
export type Texts = { texts: string | null; count: number };

export const noTexts: Texts = { texts: null, count: 0 };

const separator = ',\n';
/** For SQL. */
export const separatorText = `E',\\n'`;

export function separate({ texts }: Texts): string[] {
  return texts?.split(separator) ?? [];
}

/** The first `limit` rows of at most one more; and the last of them if there is another page. */
export function firstTexts({ texts, count }: Texts, limit: number): [texts: string, last: string | null] {
  if (texts === null || count <= limit) return [texts ?? '', null];
  const first = texts.slice(0, texts.lastIndexOf(separator));
  const before = first.lastIndexOf(separator);
  return [first, before < 0 ? first : first.slice(before + separator.length)];
}
