/**
 * Folds case and accents so that names sort the same on every database. Folding can make a name many times longer, so the
 * key is cut to what a cursor can carry.
 */
export function sortKey(name: string): string {
  const folded = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
  return Array.from(folded).slice(0, 200).join('');
}
