import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FactKind, factKinds } from '../../src/vocabulary.ts';
import { daysAgo, loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { counts, send } from './requests.ts';

let service: TestService;
let org: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  org = await service.organization();
  await loadFacts(org, {
    partners: [{}, { external_id: 'withdrawn' }],
    accounts: [{}, {}, { crm_id: 'twin', domain: 'www.a2.example' }, { crm_id: 'withdrawn' }],
    opportunities: [{}, { account_crm_id: 'a2' }, { crm_id: 'withdrawn' }],
  });
  await send(org, 'partners', [{ external_id: 'withdrawn', deleted: true }]);
  await send(org, 'accounts', [{ crm_id: 'withdrawn', deleted: true }]);
  await send(org, 'opportunities', [{ crm_id: 'withdrawn', deleted: true }]);
});
afterAll(() => service.close());

type Row = Record<string, unknown>;
/** The field that is bad, what it holds, and the code of its error; `undefined` leaves the field out. */
type Case = [field: string, value: unknown, code: string];

const good: Record<FactKind, (id: string) => Row> = {
  partners: (external_id) => ({ external_id, name: 'Lantern Quay', type: 'gsi', tier: 1 }),
  accounts: (crm_id) => ({ crm_id, name: 'Amberwick Foods' }),
  opportunities: (crm_id) => ({
    crm_id,
    account_crm_id: 'a1',
    name: 'Renewal',
    value: 1,
    stage: 'proposal',
    status: 'open',
    opened_at: '2026-01-31',
  }),
  partner_accounts: (external_id) => ({
    partner_external_id: 'p1',
    external_id,
    name: 'Amberwick',
    relationship: 'customer',
  }),
  activities: (external_id) => ({
    external_id,
    partner_external_id: 'p1',
    account_crm_id: 'a1',
    kind: 'referral',
    occurred_at: '2026-01-31T12:00:00Z',
    summary: 'Sent us a lead',
  }),
  exchange_rates: (id) => ({
    date: new Date(Date.UTC(2000, 0, Number(/\d+$/.exec(id)?.[0] ?? -1))).toISOString().slice(0, 10),
    base: 'EUR',
    quote: 'USD',
    rate: 1.0823,
  }),
};

const tooLong = (length: number) => 'x'.repeat(length + 1);

/** The errors of any text with a maximum length. */
function text(field: string, maxLength: number): Case[] {
  return [
    [field, 7, 'invalid_type'],
    [field, '', 'too_short'],
    [field, ' \t', 'invalid_format'],
    [field, tooLong(maxLength), 'too_long'],
    [field, 'a\0b', 'invalid_format'],
    [field, 'half of a 🙂: \ud83d', 'invalid_format'],
  ];
}

function requiredText(field: string, maxLength: number): Case[] {
  return [[field, undefined, 'required'], [field, null, 'invalid_type'], ...text(field, maxLength)];
}

function reference(field: string): Case[] {
  return [
    [field, 'nobody', 'unknown_reference'],
    [field, 'withdrawn', 'unknown_reference'],
  ];
}

/** Without its offset, the second is in the year 0, which the database cannot store. */
function time(field: string): Case[] {
  return ['2026-02-30T00:00:00Z', '0001-01-01T00:00:00+00:01', '2026-01-31T12:00:00', 'now', ''].map(
    (value) => [field, value, 'invalid_format'],
  );
}

const common: Case[] = [
  ...time('source_updated_at'),
  ['source_updated_at', 7, 'invalid_type'],
  ['deleted', 'yes', 'invalid_type'],
  ['nmae', 'x', 'unknown'],
];

const cases: Record<FactKind, Case[]> = {
  partners: [
    ...requiredText('external_id', 255),
    ...requiredText('name', 500),
    ['type', undefined, 'required'],
    ['type', 'reseller', 'invalid_value'],
    ['tier', undefined, 'required'],
    ['tier', 0, 'out_of_range'],
    ['tier', 5, 'out_of_range'],
    ['tier', 1.5, 'invalid_type'],
    ['tier', '1', 'invalid_type'],
    ...text('domain', 2048),
  ],
  accounts: [
    ...requiredText('crm_id', 255),
    ...requiredText('name', 500),
    ...text('domain', 2048),
    ['extra_domains', 'a.example', 'invalid_type'],
    ['extra_domains', Array(101).fill('a.example'), 'too_long'],
    ['country', 'de', 'invalid_format'],
    ['country', 'DEU', 'too_long'],
    ...text('registry_number', 100),
    ...text('merged_into', 255),
    ...reference('merged_into'),
  ],
  opportunities: [
    ...requiredText('crm_id', 255),
    ...requiredText('account_crm_id', 255),
    ...reference('account_crm_id'),
    ...requiredText('name', 500),
    ['value', undefined, 'required'],
    ['value', -0.01, 'out_of_range'],
    ['value', 1.1e15, 'out_of_range'],
    ['value', '5', 'invalid_type'],
    ['currency', 'eur', 'invalid_format'],
    ['currency', 'EURO', 'too_long'],
    ...requiredText('stage', 100),
    ['status', undefined, 'required'],
    ['status', 'closed', 'invalid_value'],
    ['status', 'prospective', 'invalid_value'],
    ['opened_at', undefined, 'required'],
    ...time('opened_at'),
    ['opened_at', '9999-12-31T23:59:59-00:01', 'invalid_format'],
    ['closed_date', '2026-02-30', 'invalid_format'],
    ['closed_date', '2026-01-31T12:00:00Z', 'invalid_format'],
  ],
  partner_accounts: [
    ...requiredText('partner_external_id', 255),
    ...reference('partner_external_id'),
    ...requiredText('external_id', 255),
    ...requiredText('name', 500),
    ...text('domain', 2048),
    ['country', 'Germany', 'too_long'],
    ...text('registry_number', 100),
    ['relationship', undefined, 'required'],
    ['relationship', 'friend', 'invalid_value'],
  ],
  activities: [
    ...requiredText('external_id', 255),
    ...requiredText('partner_external_id', 255),
    ...reference('partner_external_id'),
    ['account_crm_id', undefined, 'required'],
    ['account_crm_id', null, 'required'],
    ...text('account_crm_id', 255),
    ...reference('account_crm_id'),
    ...text('domain', 2048),
    ...text('opportunity_crm_id', 255),
    ...reference('opportunity_crm_id'),
    ['opportunity_crm_id', 'o2', 'mismatch'],
    ['kind', undefined, 'required'],
    ['kind', 'lunch', 'invalid_value'],
    ['occurred_at', undefined, 'required'],
    ...time('occurred_at'),
    ['occurred_at', daysAgo(-1), 'out_of_range'],
    ...time('recorded_at'),
    ...requiredText('summary', 2000),
    ...text('actor', 200),
    ...text('source', 200),
  ],
  exchange_rates: [
    ['date', undefined, 'required'],
    ['date', '2026-02-30', 'invalid_format'],
    ['date', '2026-01-31T12:00:00Z', 'invalid_format'],
    ['base', undefined, 'required'],
    ['base', 'eur', 'invalid_format'],
    ['quote', undefined, 'required'],
    ['quote', 'US Dollar', 'invalid_format'],
    ['quote', 'EUR', 'invalid_value'],
    ['rate', undefined, 'required'],
    ['rate', 0, 'out_of_range'],
    ['rate', -1, 'out_of_range'],
    ['rate', 9e-13, 'out_of_range'],
    ['rate', 1.1e12, 'out_of_range'],
    ['rate', '1.08', 'invalid_type'],
  ],
};

describe.each(factKinds)('%s', (kind) => {
  test('every bad value is told by index, field and code, and takes no good row with it', async () => {
    const told = [...cases[kind], ...common];
    const batch = told.flatMap(([field, value], i) => [
      good[kind](`${kind} good ${i}`),
      { ...good[kind](`${kind} bad ${i}`), [field]: value },
    ]);
    const { errors, ...numbers } = await send(org, kind, batch);
    expect(errors.map(({ index, field, code }) => [index, field, code])).toEqual(
      told.map(([field, , code], i) => [2 * i + 1, field, code]),
    );
    for (const { message } of errors) {
      expect(message).toMatch(/^[a-z].{5,}/);
      expect(message).not.toMatch(/\ba [aeio]|\^|\\/);
    }
    expect(numbers).toEqual({
      received: batch.length,
      created: told.length,
      updated: 0,
      unchanged: 0,
      rejected: told.length,
    });
  });

  test('what is no row at all is told as such', async () => {
    const rows = [null, 7, 'x', true, [], [good[kind]('x')], {}, good[kind](`${kind} after`)];
    const { errors, ...numbers } = await send(org, kind, rows);
    const whole = errors.filter(({ index }) => index < 6);
    expect(whole.map(({ index, field, code }) => [index, field, code])).toEqual(
      [0, 1, 2, 3, 4, 5].map((index) => [index, 'row', 'invalid_type']),
    );
    const missing = errors.filter(({ index }) => index === 6);
    expect(new Set(missing.map(({ code }) => code))).toEqual(new Set(['required']));
    expect(numbers).toMatchObject({ received: 8, created: 1, rejected: 7 });
  });
});

test('a row with several bad fields has an error for each, and is rejected once', async () => {
  const result = await send(org, 'partners', [{ ...good.partners('many'), name: '', tier: 9, type: 'x' }]);
  expect(result.errors.map(({ field }) => field).sort()).toEqual(['name', 'tier', 'type']);
  expect(counts(result)).toEqual({ received: 1, rejected: 1 });
});

test('a deal that is won needs its closing date', async () => {
  const won = { ...good.opportunities('won'), status: 'won' };
  const result = await send(org, 'opportunities', [won, { ...won, closed_date: '2026-02-28' }]);
  expect(result.errors).toMatchObject([{ index: 0, field: 'closed_date', code: 'required' }]);
  expect(counts(result)).toEqual({ received: 2, created: 1, rejected: 1 });
});

test('what is not loaded, and an email address that is none, are told in plain English', async () => {
  const row = { ...good.opportunities('plain'), account_crm_id: 'nobody' };
  const owner = { name: 'Ada', email: 'nobody' };
  const { errors } = await send(org, 'opportunities', [row, { ...row, account_crm_id: 'a1', owner }]);
  expect(errors.map(({ field, message }) => `${field} ${message}`)).toEqual([
    'account_crm_id does not match a loaded account; load it first',
    'owner.email must be an email address, e.g. name@example.com',
  ]);
});

test('extra domains are told one by one', async () => {
  const { errors } = await send(org, 'accounts', [
    { ...good.accounts('domains'), extra_domains: ['fine.example', '', 'a\0b.example'] },
    { ...good.accounts('domains'), extra_domains: ['fine.example', 'a\0b.example'] },
  ]);
  expect(errors.map(({ index, field }) => [index, field])).toEqual([
    [0, 'extra_domains.1'],
    [1, 'extra_domains.1'],
  ]);
});

describe('an activity that names its account by domain', () => {
  const by = (domain: string) => ({ ...good.activities(domain), account_crm_id: undefined, domain });

  test.each(['a1.example', 'https://www.A1.example/contact', 'jo@mail.a1.example'])(
    'finds it: %s',
    async (domain) => {
      expect(counts(await send(org, 'activities', [by(domain)]))).toEqual({ received: 1, created: 1 });
    },
  );

  test.each([
    ['a2.example', 'ambiguous'],
    ['nobody.example', 'unknown_reference'],
    ['gmail.com', 'unknown_reference'],
    ['not a domain', 'unknown_reference'],
    ['withdrawn.example', 'unknown_reference'],
  ])('%s is refused as %s', async (domain, code) => {
    const { errors } = await send(org, 'activities', [by(domain)]);
    expect(errors).toMatchObject([{ index: 0, field: 'domain', code }]);
  });

  test('means the account that is named beside it, if one is', async () => {
    const row = { ...good.activities('beside'), account_crm_id: 'a2', domain: 'a1.example' };
    expect(counts(await send(org, 'activities', [row]))).toEqual({ received: 1, created: 1 });
    const { rows } = await service.pool.query(
      `select a.crm_id from activities v join accounts a on a.org_id = v.org_id and a.id = v.account_id
       where v.org_id = $1 and v.external_id = 'beside'`,
      [org.orgId],
    );
    expect(rows).toEqual([{ crm_id: 'a2' }]);
  });
});
