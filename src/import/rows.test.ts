import { describe, expect, test } from 'vitest';
import type { FactKind } from '../vocabulary.ts';
import { createColumnMap } from './columns.ts';
import { type Reading, readRows } from './rows.ts';

function read(kind: FactKind, cells: Record<string, unknown>, more: Partial<Reading> = {}) {
  const reading: Reading = {
    kind,
    columns: createColumnMap(kind, more.overrides ?? {}),
    overrides: {},
    set: {},
    defaults: {},
    conventions: { timeZone: 'UTC', values: {} },
    ...more,
  };
  const { good, refused } = readRows(reading, [{ line: 2, cells, source: cells }]);
  return good[0]?.row ?? refused[0]?.problems;
}

const exported = { Id: '1', AccountId: '2', Name: 'Deal', Amount: '5', CreatedDate: '2026-01-01' };
const opportunity = { crm_id: '1', account_crm_id: '2', name: 'Deal', value: 5, opened_at: '2026-01-01' };
const closed = { closed_date: '2026-02-01' };
const mapped = {
  timeZone: 'UTC',
  values: { stage: { signed: 'won', 'security review': 'open' } },
};

describe('whether a deal is open, won or lost', () => {
  test.each([
    [{ StageName: 'Closed Won' }, 'won'],
    [{ StageName: 'closedwon' }, 'won'],
    [{ StageName: 'Closed Won (Sales Pipeline)' }, 'won'],
    [{ StageName: '6 - Closed/Won' }, 'won'],
    [{ StageName: 'Deal lost' }, 'lost'],
    [{ StageName: 'Closed Lost - won by a competitor' }, 'lost'],
    [{ StageName: 'Negotiation' }, 'open'],
    [{ StageName: 'Appointment scheduled' }, 'open'],
    [{ StageName: '5 - Contract sent' }, 'open'],
    [{ StageName: 'Contract sent (Sales Pipeline)' }, 'open'],
    [{ StageName: 'Security review' }, 'open'],
    [{ StageName: 'Verloren' }, 'lost'],
    [{ StageName: 'Signed', IsWon: 'true', IsClosed: 'true' }, 'won'],
    [{ StageName: 'Signed', IsWon: '0', IsClosed: '1' }, 'lost'],
    [{ StageName: 'Closed Won', IsWon: 'false', IsClosed: 'false' }, 'open'],
    [{ StageName: 'Dead', 'Is closed lost': 'true' }, 'lost'],
    [{ StageName: 'Gewonnen' }, 'won'],
    [{ StageName: 'SIGNED' }, 'won'],
    [{ StageName: 'Closed Won', status: 'Lost' }, 'lost'],
  ])('%j is %s', (cells, status) => {
    const row = read(
      'opportunities',
      { ...exported, ...cells, CloseDate: '2026-02-01' },
      { conventions: mapped },
    );
    // Of an open deal it is the expected one.
    expect(row).toEqual({ ...opportunity, ...closed, stage: cells.StageName, status });
  });

  test.each([
    { StageName: 'Closed - Duplicate' },
    { StageName: 'Signed' },
    { StageName: "Won't happen" },
    { StageName: 'Closed Won', 'Is Closed Won': 'false' },
    { StageName: 'Negotiation', IsClosed: 'true' },
  ])('%j does not tell', (cells) => {
    expect(read('opportunities', { ...exported, ...cells, CloseDate: '2026-02-01' })).toEqual([
      {
        field: 'stage',
        message: 'is an unknown stage',
        value: cells.StageName,
        clue: { about: 'choice', text: cells.StageName, becomes: undefined },
      },
    ]);
  });
});

describe('the currency of a deal', () => {
  const inUsd = { values: { currency: { $: 'USD' } }, timeZone: 'UTC' };
  test.each<[Record<string, string>, Partial<Reading>, string | undefined]>([
    [{ Amount: 'USD 443,000.00' }, {}, 'USD'],
    [{ Amount: '62.000,00 €' }, {}, 'EUR'],
    [{ Amount: '5' }, {}, undefined],
    [{ Amount: '$5', Currency: 'CAD' }, {}, 'CAD'],
    [{ Amount: '€5', Currency: 'EUR' }, {}, 'EUR'],
    [{ Amount: '$5' }, { set: { currency: 'USD' } }, 'USD'],
    [{ Amount: '$5' }, { defaults: { currency: 'AUD' } }, 'AUD'],
    [{ Amount: '€5' }, { defaults: { currency: 'AUD' } }, 'EUR'],
    [{ Amount: '5' }, { defaults: { currency: 'AUD' } }, 'AUD'],
    [{ Amount: '$5' }, { conventions: inUsd }, 'USD'],
    [{ Amount: '€5' }, { conventions: inUsd }, 'EUR'],
    [
      { Amount: '€5', Currency: 'n/a' },
      { conventions: { ...inUsd, values: { currency: { 'n/a': '' } } } },
      'EUR',
    ],
  ])('%j with %j is %s', (cells, more, currency) => {
    const row = read('opportunities', { ...exported, StageName: 'Open', ...cells }, more) as {
      currency?: string;
    };
    expect(row.currency).toBe(currency);
  });

  test.each<[Record<string, string>, Partial<Reading>, string]>([
    [{ Amount: 'EUR 5', Currency: 'USD' }, {}, 'does not match the currency of the row, USD'],
    [{ Amount: '$5', Currency: 'EUR' }, {}, 'does not match the currency of the row, EUR'],
    [{ Amount: '€5' }, { set: { currency: 'USD' } }, 'does not match the currency of the row, USD'],
    [{ Amount: '$5' }, {}, 'is written with $, which can be several currencies'],
    [{ Amount: '¥5' }, {}, 'is written with ¥, which can be several currencies'],
  ])('%j with %j is refused', (cells, more, message) => {
    expect(read('opportunities', { ...exported, StageName: 'Open', ...cells }, more)).toMatchObject([
      { field: 'value', message: expect.stringContaining(message), value: cells.Amount },
    ]);
  });
});

test('an empty amount is 0, a wrong one is refused', () => {
  const cells = { ...exported, StageName: 'Open' };
  expect(read('opportunities', { ...cells, Amount: ' ' })).toMatchObject({ value: 0 });
  expect(read('opportunities', { ...cells, Amount: '' }, { defaults: { value: '7' } })).toMatchObject({
    value: 7,
  });
  expect(read('opportunities', { ...cells, Amount: 'n/a' })).toEqual([
    { field: 'value', message: expect.stringContaining('is not an amount'), value: 'n/a' },
  ]);
});

test('a constant goes before the column, a default only where the cell is empty', () => {
  const cells = { external_id: 'P1', name: 'Acme', type: 'Florist', tier: '' };
  const more = { set: { type: 'gsi' }, defaults: { tier: '3', name: 'nobody' } };
  expect(read('partners', cells, more)).toEqual({ external_id: 'P1', name: 'Acme', type: 'gsi', tier: 3 });
});

test('a deleted record is withdrawn, however bad the rest of its row is', () => {
  const cells = {
    Id: '0015g00000AbCdE',
    Name: '',
    BillingCountry: 'Atlantis',
    IsDeleted: 'true',
    MasterRecordId: '001A0000006Vm9u',
  };
  expect(read('accounts', cells)).toEqual({
    crm_id: '0015g00000AbCdEAAV',
    merged_into: '001A0000006Vm9uIAC',
    deleted: true,
  });
});

test('values that cannot be converted or that the contract refuses are reported for each field', () => {
  expect(
    read('accounts', { Id: '1', Name: 'Acme', Country: 'Atlantis', LastModifiedDate: 'soon' }),
  ).toMatchObject([
    { field: 'country', message: expect.stringContaining('not a country'), value: 'Atlantis' },
    { field: 'source_updated_at', message: expect.stringContaining('not a date'), value: 'soon' },
  ]);
  expect(read('accounts', { Id: '', Name: '' })).toEqual([
    { field: 'crm_id', message: 'is required' },
    { field: 'name', message: 'is required' },
  ]);
  expect(read('opportunities', { ...exported, StageName: 'Closed Won' })).toEqual([
    { field: 'closed_date', message: 'is required when status is won' },
  ]);
});

test('a row of our own form is taken as it is', () => {
  const row = {
    external_id: 'A1',
    partner_external_id: 'P1',
    account_crm_id: '1',
    kind: 'joint_meeting',
    occurred_at: '2026-01-31T12:00:00Z',
    summary: 'Met',
    actor: 'Jo',
    source: 'calendar',
  };
  expect(read('activities', { ...row, domain: null })).toEqual(row);
});

describe('owners', () => {
  const base = { Id: '1', Name: 'Harbor Foods' };
  const owner = (cells: Record<string, unknown>) =>
    (read('accounts', { ...base, ...cells }) as { owner?: unknown }).owner;

  test.each<[Record<string, unknown>, unknown]>([
    [{}, undefined],
    [{ 'Account Owner': 'Ada Moreau' }, { name: 'Ada Moreau' }],
    [{ 'Company owner': 'Ada Moreau (ada@example.com)' }, { name: 'Ada Moreau', email: 'ada@example.com' }],
    [{ Owner: 'Ada Moreau <ada@example.com>' }, { name: 'Ada Moreau', email: 'ada@example.com' }],
    [{ 'Owner Email': 'ada@example.com' }, { name: 'ada@example.com', email: 'ada@example.com' }],
    [
      { 'Account Owner': 'Ada Moreau', 'Account Owner: Email': 'ada@example.com' },
      { name: 'Ada Moreau', email: 'ada@example.com' },
    ],
    [{ owner: { name: 'Ada', email: null } }, { name: 'Ada', email: null }],
  ])('%j of an account', (cells, expected) => expect(owner(cells)).toEqual(expected));

  test.each(['Opportunity Owner', 'Deal owner', 'Owner Name'])('%s of a deal', (column) => {
    expect(
      read('opportunities', { ...exported, StageName: 'Proposal', [column]: 'Ada Moreau' }),
    ).toMatchObject({
      owner: { name: 'Ada Moreau' },
    });
  });

  test('an address that is none is refused', () => {
    expect(read('accounts', { ...base, 'Owner Email': 'nowhere' })).toMatchObject([{ field: 'owner.email' }]);
  });
});
