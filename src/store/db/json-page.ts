/**
 * Rows as JSON, separated as in an array, with their number. JSON text has no line breaks of its own. A page as one text
 * costs less than separate rows, and sending it unchanged costs less than parsing it.
 */
export type JsonPage = { json: string | null; count: number };

export const emptyJsonPage: JsonPage = { json: null, count: 0 };

const separator = ',\n';
/** For SQL. */
export const jsonSeparatorSql = `E',\\n'`;

export function splitJsonPage({ json }: JsonPage): string[] {
  return json?.split(separator) ?? [];
}

/** The first `limit` rows of at most one more; and the last of them if there is another page. */
export function firstOfJsonPage(
  { json, count }: JsonPage,
  limit: number,
): [json: string, last: string | null] {
  if (json === null || count <= limit) return [json ?? '', null];
  const first = json.slice(0, json.lastIndexOf(separator));
  const before = first.lastIndexOf(separator);
  return [first, before < 0 ? first : first.slice(before + separator.length)];
}
