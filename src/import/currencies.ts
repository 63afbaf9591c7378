import { plain } from './columns.ts';

const dollars = 'USD CAD AUD BBD BMD BND BSD BZD FJD GYD HKD JMD KYD LRD NAD NZD SBD SGD SRD TTD TWD XCD';
const pesos = 'ARS CLP COP CUP DOP MXN UYU';

/** The currencies that a sign next to an amount can mean. */
const signs: Record<string, string> = {
  $: `${dollars} ${pesos}`,
  '¥': 'JPY CNY',
  '￥': 'JPY CNY',
  kr: 'SEK NOK DKK ISK',
  'kr.': 'DKK ISK NOK SEK',
  rs: 'INR PKR LKR NPR MUR SCR',
  'rs.': 'INR PKR LKR NPR MUR SCR',
  '﷼': 'IRR OMR QAR SAR YER',
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  '₩': 'KRW',
  '₪': 'ILS',
  '₫': 'VND',
  '₱': 'PHP',
  '₺': 'TRY',
  '₽': 'RUB',
  '₴': 'UAH',
  '₦': 'NGN',
  '₸': 'KZT',
  '₡': 'CRC',
  '₲': 'PYG',
  '₵': 'GHS',
  '฿': 'THB',
  zł: 'PLN',
  kč: 'CZK',
  ft: 'HUF',
  us$: 'USD',
  a$: 'AUD',
  au$: 'AUD',
  c$: 'CAD',
  ca$: 'CAD',
  nz$: 'NZD',
  hk$: 'HKD',
  sg$: 'SGD',
  s$: 'SGD',
  nt$: 'TWD',
  mx$: 'MXN',
  r$: 'BRL',
  'cn¥': 'CNY',
  'jp¥': 'JPY',
};

let codes: Set<string> | undefined;
let names: Map<string, string> | undefined;

/** Every currency that a code or sign can mean; none if it is neither. */
export function currenciesOf(mark: string): string[] {
  codes ??= new Set(Intl.supportedValuesOf('currency'));
  const code = mark.toUpperCase();
  if (codes.has(code)) return [code];
  const sign = mark.toLowerCase();
  return Object.hasOwn(signs, sign) ? (signs[sign]?.split(' ') ?? []) : [];
}

/** The code in a cell that contains only a currency: `EUR`, `€`, `Euro`, `Euro (EUR)`. */
export function currencyCode(text: string): string | undefined {
  const [only, ...more] = currenciesOf(/\(([A-Z]{3})\)/.exec(text)?.[1] ?? text);
  if (more.length > 0) return undefined;
  names ??= englishNames();
  return only ?? names.get(plain(text));
}

function englishNames(): Map<string, string> {
  const english = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' });
  return new Map(Intl.supportedValuesOf('currency').map((code) => [plain(english.of(code) ?? code), code]));
}
