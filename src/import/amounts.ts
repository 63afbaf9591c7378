import { currenciesOf } from './currencies.ts';

export type DecimalSign = 'point' | 'comma';

export type Amount = {
  value: number;
  /** What is written next to the number, and the currencies it can mean. */
  mark?: string;
  currencies?: string[];
  /** The decimal sign, if the number itself shows it. */
  shows?: DecimalSign;
};
export type AmountProblem = { problem: string; unclearDecimal?: true };

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

function readNumber(digits: string, decimal: DecimalSign | undefined): Amount | AmountProblem {
  const shown = decimalSign(digits);
  const sign = decimal === undefined ? shown : { point: '.', comma: ',' }[decimal];
  if (sign === 'unclear')
    return {
      problem: 'can mean thousands or decimals; use --decimal point or --decimal comma',
      unclearDecimal: true,
    };
  const [whole = '', fraction = '0', ...more] = sign ? digits.split(sign) : [digits];
  if (more.length > 0 || !/^\d*$/.test(fraction)) return notAnAmount;
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
