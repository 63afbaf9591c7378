/**
 * A name folded for sorting as people do, case and accents aside, the same on every database. Folding can make a name
 * many times as long; what a cursor has to carry is cut.
 */
export function sortKey(name: string): string {
  const folded = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
  return Array.from(folded).slice(0, 200).join('');
}
