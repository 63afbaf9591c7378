import fc from 'fast-check';
import { parseTimestamp } from '../../src/contract/values/time.ts';
import { dateRange } from '../../src/vocabulary.ts';

/* Values as large, small, long, old or strange as the API accepts. */

const strange = [
  ...[
    'null',
    'NULL',
    'undefined',
    'NaN',
    '-Infinity',
    '0',
    '1e400',
    'true',
    '__proto__',
    'constructor',
    '$1',
  ],
  ...[
    `'; drop table accounts; --`,
    `\\'`,
    '"',
    '\\',
    '\\\\"',
    '\\N',
    '{}',
    '{NULL}',
    '{"a":[1,',
    ',',
    '%_%',
    '$&',
  ],
  ...[
    '=1+1',
    '<b>&amp;</b>',
    '{{x}}',
    '..',
    '/',
    '?a=b&c#d',
    'a\tb\nc\r\nd',
    'x\u0001\u007f\u0085',
    'x\u2028\u2029',
  ],
  ...['\uffff', '\ufffe', '\ufffd', '\u{10ffff}', '\ue000', '\u200b', '\ufeffx', '\u202etxt.exe', 'x\u2066y'],
  ...[
    '💥',
    '👩‍👩‍👧‍👦',
    '🇳🇴',
    'e\u0301',
    `Z${'\u0351'.repeat(20)}`,
    'שלום',
    'مرحبا',
    '漢字',
    'İıſß',
    'ǅŉ',
    'Å',
  ],
  // Single letters that fold to eighteen, to three and to six.
  ...['\ufdfa', 'ﬃ', '\u{1f240}', '½', '㌀', '\u0344', '\u1fb7'],
];

/** Any text up to this length, very often exactly this long. */
export function text(max: number): fc.Arbitrary<string> {
  const short = fc.constantFrom(...strange);
  const longest = short.map((some) => [...some.repeat(max)].slice(0, max).join(''));
  const random = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 12 })
    .map((some) => some.replaceAll('\0', 'x'))
    .filter((some) => /\S/.test(some));
  return fc.oneof(short, longest, random);
}

const today = new Date();
const day = (at: Date) => at.toISOString().slice(0, 10);
const daysFromNow = (days: number) => new Date(today.getTime() + days * 86_400_000);
const { first, last } = dateRange;

export const date = fc.oneof(
  fc.constantFrom(first, last),
  fc.constantFrom('0001-01-02', '0004-02-29', '0099-12-31', '0100-01-01', '1582-10-10', '1969-12-31'),
  fc.constantFrom('1970-01-01', '2000-02-29', '9996-02-29', '9999-01-01', '9999-12-30'),
  { weight: 3, arbitrary: fc.integer({ min: -100, max: 10 }).map((days) => day(daysFromNow(days))) },
  fc.date({ min: new Date(first), max: new Date(last), noInvalidDate: true }).map(day),
);
const clock = fc.constantFrom('00:00:00', '23:59:59', '24:00:00', '23:59:59.999999999', '12:30:00.5');
const zone = fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+14:00', '-12:00', '+23:59', '-23:59', '+05:45');
export const timestamp = fc
  .tuple(date, fc.constantFrom('T', 't'), clock, zone)
  .map((parts) => parts.join(''))
  .filter((written) => parseTimestamp(written) !== undefined);
export const dayOrTimestamp = fc.oneof(date, timestamp);
/** Most are recent, or nothing would result from them. */
export const pastTimestamp = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 60 }).map((days) => daysFromNow(-days).toISOString()) },
  { weight: 2, arbitrary: timestamp },
);

export const amount = fc.oneof(
  fc.constantFrom(0, 1e15, 5e-324, 1e-7, 0.1, 1 / 3, 999_999_999_999_999.9, 1234.5, 48_000),
  fc.double({ min: 0, max: 1e15, noNaN: true }),
);
export const rate = fc.oneof(
  fc.constantFrom(1e12, 1e-12, 1, 1 / 3, 1.0823, 1e-7, 999_999_999_999.9),
  fc.double({ min: 1e-12, max: 1e12, noNaN: true }),
);
export const currency = fc.constantFrom('EUR', 'USD', 'JPY', 'BHD', 'CLF', 'XXX');
export const country = fc.constantFrom('NO', 'GB', 'DE', 'JP', 'XX', 'ZZ');
export const domain = fc.oneof(
  fc.constantFrom('a1.example', 'a2.example', 'https://www.a1.example:8443/x?y#z', 'mailto:x@a2.example'),
  fc.constantFrom(
    'münchen.example',
    '💥.example',
    'localhost',
    '[::1]',
    '1.2.3.4',
    'a..example',
    '.',
    'co.uk',
  ),
  fc.constantFrom(
    `${'a'.repeat(63)}.example`,
    `${'a.'.repeat(1_000)}example`,
    `https://${'x'.repeat(2_040)}`,
  ),
  text(2_048),
);
export const registryNumber = fc.oneof(
  fc.constantFrom('918273645', '０９１８-２７３', '0000', '12345678'),
  text(100),
);
export const email = fc.oneof(
  fc.constantFrom('x@y', 'İ@İ', '💥@💥', `${'x'.repeat(318)}@y`, '\ufdfa@\uffff'),
  text(100).map((some) => `${some.replace(/[\s@]/g, '') || 'x'}@example`),
);
export const owner = fc.record({ name: text(200), email: fc.option(email) }, { requiredKeys: ['name'] });
export const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 6 });
