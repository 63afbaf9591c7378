/** A name folded for sorting as people do, case and accents aside, the same on every database. */
export function sortKey(name: string): string {
  return name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
