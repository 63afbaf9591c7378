import { plain } from './columns.ts';

export type DecimalSign = 'point' | 'comma';

export type Amount = {
  value: number;
  /** What is written next to the number, and the currencies it can mean. */
  mark?: string;
  currencies?: string[];
  /** The decimal sign, if the number itself shows it. */
  shows?: DecimalSign;
};
type AmountProblem = { problem: string; unclear?: true; shows?: DecimalSign };

const notAnAmount = { problem: 'is not an amount, such as 1234.50 or EUR 1,234.50' };

/** A number, optionally with a currency code or sign or both: `USD 1,000.00`, `1.000 €`, `$5,000 USD`. */
export function readAmount(text: string, decimal: DecimalSign | undefined): Amount | AmountProblem {
  const bare = text.replace(/[\s'’]/gu, '');
  const digits = /\d[\d.,]*/.exec(bare)?.[0];
  if (digits === undefined) return notAnAmount;
  const around = bare.replace(digits, ' ').split(' ');
  const marks = around.flatMap((part) => part.match(/\p{L}{1,2}\p{Sc}|\p{Sc}|\p{L}+\.?/gu) ?? []);
  const signs = around.map((part) => part.replace(/\p{L}{1,2}\p{Sc}|\p{Sc}|\p{L}+\.?/gu, '')).join(' ');
  if (!/^(?:[-+−]? [-+−]?|\( \))$/.test(signs)) return notAnAmount;
  const possible = marks.map(currenciesOf);
  const currencies = possible.reduce(
    (all, some) => all.filter((code) => some.includes(code)),
    possible[0] ?? [],
  );
  if (marks.length > 0 && currencies.length === 0) return notAnAmount;

  const number = readNumber(digits, decimal);
  if ('problem' in number) return number;
  return {
    ...number,
    value: /[-−(]/.test(signs) ? -number.value : number.value,
    ...(marks.length > 0 ? { mark: marks.join(' '), currencies } : {}),
  };
}

/** The code in a cell that contains only a currency: `EUR`, `€`, `Euro`, `Euro (EUR)`. */
export function currencyCode(text: string): string | undefined {
  const [only, ...more] = currenciesOf(/\(([A-Z]{3})\)/.exec(text)?.[1] ?? text);
  if (more.length > 0) return undefined;
  names ??= englishNames();
  return only ?? names.get(plain(text));
}

function readNumber(digits: string, decimal: DecimalSign | undefined): Amount | AmountProblem {
  const shown = decimalSign(digits);
  const sign = decimal === undefined ? shown : { point: '.', comma: ',' }[decimal];
  if (sign === 'unclear') return { problem: 'can mean thousands or decimals', unclear: true };
  const [whole = '', fraction = '0', ...more] = sign ? digits.split(sign) : [digits];
  if (more.length > 0 || !/^\d*$/.test(fraction)) {
    if (decimal === undefined || 'problem' in readNumber(digits, undefined)) return notAnAmount;
    return {
      problem: 'is written with the other decimal sign',
      shows: decimal === 'comma' ? 'point' : 'comma',
    };
  }
  const value = Number(`${whole.replace(/[.,]/g, '')}.${fraction}`);
  return { value, ...(shown === '.' ? { shows: 'point' } : shown === ',' ? { shows: 'comma' } : {}) };
}

/** The last of two different signs; a single sign counts only if it cannot separate thousands. */
function decimalSign(digits: string): '.' | ',' | '' | 'unclear' {
  const point = digits.lastIndexOf('.');
  const comma = digits.lastIndexOf(',');
  if (point === -1 && comma === -1) return '';
  if (point !== -1 && comma !== -1) return point > comma ? '.' : ',';
  const sign = point === -1 ? ',' : '.';
  if (digits.indexOf(sign) !== digits.lastIndexOf(sign)) return '';
  if (!/^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)) return sign;
  return sign === ',' ? '' : 'unclear';
}

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
function currenciesOf(mark: string): string[] {
  codes ??= new Set(Intl.supportedValuesOf('currency'));
  const code = mark.toUpperCase();
  if (codes.has(code)) return [code];
  const sign = mark.toLowerCase();
  return Object.hasOwn(signs, sign) ? (signs[sign]?.split(' ') ?? []) : [];
}

function englishNames(): Map<string, string> {
  const english = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' });
  return new Map(Intl.supportedValuesOf('currency').map((code) => [plain(english.of(code) ?? code), code]));
}
