export const formatNumber = new Intl.NumberFormat('en').format;

/** `48,000 (no currency)` if the CRM sent none: a bare number would read as the reader's own currency. */
export function formatMoney(value: number, currency: string | null): string {
  if (currency === null) return `${formatNumber(value)} (no currency)`;
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    trailingZeroDisplay: 'stripIfInteger',
  }).format(value);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
