/** The co-sell density score: 0 to 100, one decimal. */
export function densityScore(coSold: number, shared: number): number {
  return shared === 0 ? 0 : Math.round((1000 * coSold) / shared) / 10;
}
