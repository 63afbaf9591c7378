import { describe, expect, test } from 'vitest';
import { type Conventions, convert } from './convert.ts';

const utc: Conventions = { timeZone: 'UTC', values: {} };
const value = (field: string, cell: unknown, conventions = utc) => {
  const converted = convert(field, cell, conventions);
  return 'problem' in converted ? `! ${converted.problem}` : converted.value;
};

describe('numbers', () => {
  test.each([
    ['1234.5', 1234.5],
    ['1,234', 1234],
    ['1,234.56', 1234.56],
    ['1.234,56', 1234.56],
    ['1.234.567', 1234567],
    ['12,34,567.89', 1234567.89],
    ['1234,5', 1234.5],
    ['0.125', 0.125],
    ['1234.567', 1234.567],
    ['€ 12.500,00', 12500],
    ['$1,250.50', 1250.5],
    ['USD 1,000.00', 1000],
    ['3000 EUR', 3000],
    ["CHF 3'000", 3000],
    ['1\u202f234,50\u00a0€', 1234.5],
    ['(1,500.00)', -1500],
    ['-7', -7],
    ['-€5', -5],
    ['€ -5', -5],
    ['5-', -5],
    ['EUR62,000.00', 62000],
    ['62000eur', 62000],
    ['$5,000.00 USD', 5000],
    ['1 200 kr.', 1200],
    ['Rs.500', 500],
  ])('%s is %d', (text, number) => expect(value('value', text)).toBe(number));

  test.each(['n/a', '1.2.3,4,5', '12k', '--', '1,2.3,4', '5/6', 'ABC 5', '€5 USD', '5%', 'ca. 5', '1e5'])(
    '%s is none',
    (text) => expect(value('value', text)).toMatch(/^! /),
  );

  test('1.234 alone is not guessed at, and means what the conventions say', () => {
    expect(convert('value', '1.234', utc)).toMatchObject({
      problem: expect.anything(),
      clue: { about: 'decimal', shows: undefined },
    });
    expect(value('value', '1.234', { ...utc, decimal: 'point' })).toBe(1.234);
    expect(value('value', '1.234', { ...utc, decimal: 'comma' })).toBe(1234);
    expect(value('value', '1,234', { ...utc, decimal: 'comma' })).toBe(1.234);
  });
});

describe('the currency beside an amount', () => {
  test.each([
    ['USD 443,000.00', ['USD']],
    ['62,000.00 EUR', ['EUR']],
    ['€5', ['EUR']],
    ['5 £', ['GBP']],
    ['₹5', ['INR']],
    ['US$5', ['USD']],
    ['C$ 5', ['CAD']],
    ['$5 CAD', ['CAD']],
    ['5 zł', ['PLN']],
    ['¥5', ['JPY', 'CNY']],
    ['5 kr', ['SEK', 'NOK', 'DKK', 'ISK']],
    ['5', undefined],
  ])('%s can be %j', (text, currencies) => {
    expect(convert('value', text, utc).mark?.currencies).toEqual(currencies);
  });

  test('a dollar sign can be many', () => {
    expect(convert('value', '$5', utc).mark?.currencies).toEqual(
      expect.arrayContaining(['USD', 'CAD', 'AUD', 'MXN']),
    );
  });

  test.each([
    ['EUR', 'EUR'],
    ['usd', 'USD'],
    ['US Dollar (USD)', 'USD'],
    ['US Dollar', 'USD'],
    ['Euro', 'EUR'],
    ['€', 'EUR'],
  ])('a cell that holds only %s is %s', (text, code) => expect(value('currency', text)).toBe(code));

  test.each(['$', 'ABC', 'money'])('%s is none', (text) => expect(value('currency', text)).toMatch(/^! /));
});

describe('dates', () => {
  test.each([
    ['2026-01-31', '2026-01-31'],
    ['2026-01-31 14:05', '2026-01-31'],
    ['2026-01-31T12:00:00.000+0000', '2026-01-31'],
    ['31/01/2026', '2026-01-31'],
    ['1/31/2026', '2026-01-31'],
    ['31.1.2026', '2026-01-31'],
    ['2026/1/31', '2026-01-31'],
    ['1/31/2026, 5:01 PM', '2026-01-31'],
    ['1769860800000', '2026-01-31'],
    ['253402300799999', '9999-12-31'],
    ['-62135596800000', '0001-01-01'],
    ['12/31/9999', '9999-12-31'],
    ['0001-01-01T00:00:00Z', '0001-01-01'],
  ])('%s closes on %s', (text, day) => expect(value('closed_date', text)).toBe(day));

  test.each([
    ['2026-01-31T12:00:00.000+0000', '2026-01-31T12:00:00.000+00:00'],
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z'],
    ['2026-01-31 14:05', '2026-01-31T14:05:00Z'],
    ['31.01.2026 9:05', '2026-01-31T09:05:00Z'],
    ['1/31/2026 12:30 am', '2026-01-31T00:30:00Z'],
    ['1/31/2026 12:30 PM', '2026-01-31T12:30:00Z'],
    ['2026-01-31', '2026-01-31T00:00:00Z'],
  ])('%s happened at %s', (text, moment) => expect(value('occurred_at', text)).toBe(moment));

  test('a day that may be another one is asked about, and means what the conventions say', () => {
    expect(convert('closed_date', '01/02/2026', utc)).toMatchObject({
      problem: expect.anything(),
      clue: { about: 'dates', shows: undefined },
    });
    expect(value('closed_date', '01/02/2026', { ...utc, dates: 'dmy' })).toBe('2026-02-01');
    expect(value('closed_date', '01/02/2026', { ...utc, dates: 'mdy' })).toBe('2026-01-02');
    expect(value('closed_date', '31/01/2026', { ...utc, dates: 'mdy' })).toMatch(/^! is not a date/);
  });

  test.each([
    ...['2026-02-30', '31.31.2025', 'soon', '1/31/26', '2026-01-31 25:00', '46053'],
    ...['0000-12-31', '253402300800000', '-62135596800001', '20260131120000'],
  ])('%s is none', (text) => expect(value('closed_date', text)).toMatch(/^! is not a date/));

  test('a time without a zone is in the given time zone, on both sides of a change of the clock', () => {
    const berlin = { ...utc, timeZone: 'Europe/Berlin' };
    expect(value('occurred_at', '2026-01-31 12:00', berlin)).toBe('2026-01-31T12:00:00+01:00');
    expect(value('occurred_at', '2026-07-31 12:00', berlin)).toBe('2026-07-31T12:00:00+02:00');
    expect(value('occurred_at', '2026-03-29 01:30', berlin)).toBe('2026-03-29T01:30:00+01:00');
    expect(value('occurred_at', '2026-03-29 03:30', berlin)).toBe('2026-03-29T03:30:00+02:00');
    expect(value('occurred_at', '2026-01-31T12:00:00Z', berlin)).toBe('2026-01-31T12:00:00Z');
  });

  test('a time without a zone loads whatever its year', () => {
    const berlin = { ...utc, timeZone: 'Europe/Berlin' };
    const newYork = { ...utc, timeZone: 'America/New_York' };
    // The offset was 53 minutes and 28 seconds.
    expect(value('occurred_at', '1850-01-31 12:00', berlin)).toBe('1850-01-31T12:00:00+00:53');
    // There is no time before the first or after the last one.
    expect(value('occurred_at', '0001-01-01 00:30', berlin)).toBe('0001-01-01T00:30:00Z');
    expect(value('recorded_at', '9999-12-31 23:59', newYork)).toBe('9999-12-31T23:59:00Z');
  });

  test('the day of a deal stays the day that was written, and a day alone is no version', () => {
    expect(value('opened_at', '2026-01-31 23:30', { ...utc, timeZone: 'America/New_York' })).toBe(
      '2026-01-31',
    );
    expect(value('opened_at', '2026-01-31T23:30:00-0500')).toBe('2026-01-31T23:30:00-05:00');
    expect(value('source_updated_at', '2026-01-31')).toBeUndefined();
    expect(value('source_updated_at', '2026-01-31 08:00')).toBe('2026-01-31T08:00:00Z');
  });
});

describe('countries', () => {
  test.each([
    ['Germany', 'DE'],
    ['DEUTSCHLAND', 'DE'],
    ['de', 'DE'],
    ['USA', 'US'],
    ['U.S.A.', 'US'],
    ['United States', 'US'],
    ['UK', 'GB'],
    ['Österreich', 'AT'],
    ['Osterreich', 'AT'],
    ['Korea, Republic of', 'KR'],
    ["Côte d'Ivoire", 'CI'],
    ['Czech Republic', 'CZ'],
    ['Türkiye', 'TR'],
    ['Turkey', 'TR'],
    ['España', 'ES'],
    ['Viet Nam', 'VN'],
    ['Hong Kong', 'HK'],
  ])('%s is %s', (text, code) => expect(value('country', text)).toBe(code));

  test.each(['Atlantis', 'EU', 'XX', 'SU', '???'])('%s is none', (text) =>
    expect(value('country', text)).toMatch(/^! is not a country/),
  );
});

describe('identifiers', () => {
  test.each([
    ['001A0000006Vm9u', '001A0000006Vm9uIAC'],
    ['0015g00000AbCdE', '0015g00000AbCdEAAV'],
    ['001A0000006Vm9uIAC', '001A0000006Vm9uIAC'],
    ['20000000001', '20000000001'],
    ['000000000012345', '000000000012345'],
    ['acknowledgement', 'acknowledgement'],
    ['9002;9999', '9002'],
    ['a;b', 'a;b'],
  ])('%s is %s', (text, id) => expect(value('crm_id', text)).toBe(id));

  test('one that a spreadsheet shortened is refused', () => {
    expect(value('crm_id', '2.00E+10')).toMatch(/spreadsheet/);
  });

  test('numbers of JSON become text', () => expect(value('crm_id', 9002)).toBe('9002'));
});

test('words of CRMs become ours; others are a problem, and a mapping solves it', () => {
  expect(value('type', 'Technology Partner')).toBe('technology_partner');
  expect(value('type', 'Reseller')).toBe('solution_provider');
  expect(value('kind', 'Joint meeting')).toBe('joint_meeting');
  expect(value('kind', 'Deal Reg')).toBe('deal_registration');
  expect(value('relationship', 'Customer - Direct')).toBe('customer');
  expect(value('relationship', 'Kunde')).toBe('customer');
  expect(value('tier', 'Tier 2')).toBe(2);
  expect(value('tier', '3.0')).toBe(3);
  for (const [field, word] of Object.entries({
    type: 'Florist',
    tier: 'Gold',
    kind: 'Webinar',
    status: 'Closed',
  }))
    expect(convert(field, word, utc)).toMatchObject({
      problem: expect.anything(),
      clue: { about: 'choice', becomes: undefined },
    });
  const values = {
    tier: { gold: '1', 'gold+': '2' },
    kind: { poc: 'technical_validation' },
    country: { '?': '' },
  };
  expect(value('tier', ' GOLD ', { ...utc, values })).toBe(1);
  expect(value('tier', 'Gold+', { ...utc, values })).toBe(2);
  expect(value('kind', 'POC', { ...utc, values })).toBe('technical_validation');
  expect(value('country', '?', { ...utc, values })).toBeUndefined();
  expect(value('kind', 'constructor', { ...utc, values })).toMatch(/^! /);
});

test('booleans can be written in several ways', () => {
  for (const text of ['1', 'true', 'TRUE', 'yes', true]) expect(value('deleted', text)).toBe(true);
  for (const text of ['0', 'false', 'No', false]) expect(value('deleted', text)).toBe(false);
  expect(value('deleted', 'perhaps')).toMatch(/^! /);
});

test('empty cells are absent fields', () => {
  expect(value('value', ' - ')).toBeUndefined();
  for (const field of ['name', 'value', 'country', 'closed_date', 'deleted', 'extra_domains'])
    for (const cell of ['', '  ', null, undefined]) expect(value(field, cell)).toBeUndefined();
});

test('a list of domains may be written in several ways', () => {
  expect(value('extra_domains', 'a.example; b.example,c.example')).toEqual([
    'a.example',
    'b.example',
    'c.example',
  ]);
  expect(value('extra_domains', ['a.example'])).toEqual(['a.example']);
  expect(value('name', ['a'])).toMatch(/^! /);
});
