import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../src/contract/settings.ts';
import type { FactKind } from '../../src/vocabulary.ts';
import { credits, detailOf, recordsOf } from '../attribution/requests.ts';
import { daysAgo, loadFacts, readAll } from '../facts.ts';
import { createDatabase, startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { changeState, counts, send, detailOf as signalOf, signalsOf } from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const firstDay = '0001-01-01';
const lastDay = '9999-12-31';

const opportunity = { crm_id: 'o1', account_crm_id: 'a1', name: 'Opportunity o1', value: 100, stage: 'x' };
const policy = { attribution: defaultSettings.attribution, pre_intent: defaultSettings.signals.pre_intent };

/** A partner that worked on an account; the deals are those of the test. */
async function organization(on: TestService = service): Promise<TestOrganization> {
  const org = await on.organization();
  await loadFacts(org, {
    partners: [{}],
    accounts: [{}],
    activities: [
      { external_id: 'old', kind: 'referral', occurred_at: `${firstDay}T00:00:00Z` },
      { external_id: 'new', occurred_at: daysAgo(2) },
    ],
  });
  return org;
}

async function get(org: TestOrganization, path: string) {
  const answer = await org.get(path);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

describe.each([firstDay, '0001-03-01', '0099-12-31', '9999-10-01', lastDay])('on %s', (closed_date) => {
  test.each([
    ['application/json', (rows: unknown[]) => JSON.stringify(rows)],
    ['application/x-ndjson', (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n')],
  ])(
    'a deal can be opened and closed without harm to the other rows of its batch, as %s',
    async (type, body) => {
      const org = await organization();
      const rows = Array.from({ length: 500 }, (_, i) => ({
        ...{ ...opportunity, crm_id: `o${i}`, status: 'won', opened_at: daysAgo(90) },
        ...(i === 250 ? { opened_at: closed_date, closed_date } : { closed_date: daysAgo(1).slice(0, 10) }),
      }));
      const answer = await org.call('POST', '/ingest/v1/opportunities', {
        raw: body(rows),
        headers: { 'content-type': type },
      });
      expect(answer.status, answer.text).toBe(200);
      expect(counts(answer.body.data)).toEqual({ received: 500, created: 500 });
      const listed = await readAll<{ crm_id: string; closed_date: string }>(org, '/v1/opportunities');
      expect(listed.find(({ crm_id }) => crm_id === 'o250')).toMatchObject({ closed_date });
    },
  );

  test('an open deal can be expected to close, and then be won, lost and won again', async () => {
    const org = await organization();
    for (const status of ['open', 'won', 'lost', 'won', 'open'] as const) {
      const row = { ...opportunity, status, opened_at: firstDay, closed_date };
      const result = await send(org, 'opportunities', [row]);
      expect(result).toMatchObject({ received: 1, rejected: 0, unchanged: 0 });
      const [read] = await readAll<{ id: string }>(org, '/v1/opportunities');
      expect(await get(org, `/v1/opportunities/${read?.id}`)).toMatchObject({ status, closed_date });
    }
  });

  test('a deal is credited, totalled by month, exported and simulated', async () => {
    const org = await organization();
    await loadFacts(org, {
      opportunities: [{ ...opportunity, status: 'won', opened_at: firstDay, closed_date, currency: 'EUR' }],
    });
    expect(await credits(org)).toEqual(['p1 on o1: sourced']);
    const [record] = await recordsOf(org);
    expect(await detailOf(org, record?.id ?? '')).toMatchObject({ closed_date });
    const { by_month } = await get(org, '/v1/attribution/summary');
    expect(by_month).toMatchObject([{ month: closed_date.slice(0, 7), net_value: 100 }]);
    const csv = await org.call('GET', '/v1/attribution', { headers: { accept: 'text/csv' } });
    expect(csv.text).toContain(closed_date);
    const simulated = await org.call('POST', '/v1/attribution/simulate', { body: { policy } });
    expect(simulated.body.data, simulated.text).toMatchObject({ deals: 1, changed: 0 });
  });

  test('a rate converts the deals of its day', async () => {
    const org = await organization();
    await loadFacts(org, {
      opportunities: [{ ...opportunity, status: 'won', opened_at: firstDay, closed_date, currency: 'EUR' }],
      exchange_rates: [{ date: closed_date, base: 'EUR', quote: 'USD', rate: 2 }],
    });
    const settings = { ...defaultSettings, reporting_currency: 'USD' };
    await service.operator('PUT', `/admin/v1/organizations/${org.orgId}/settings`, settings);
    const { converted } = await get(org, '/v1/attribution/summary');
    expect(converted).toMatchObject({ totals: [{ net_value: 200 }], rates: [{ rate_date: closed_date }] });
  });

  test('a deal of a signal in progress can end', async () => {
    const org = await organization();
    await loadFacts(org, { opportunities: [{ ...opportunity, status: 'open', opened_at: daysAgo(5) }] });
    const [signal] = await signalsOf(org, '?type=co_sell');
    await changeState(org, signal?.id ?? '', 'in_progress');
    await send(org, 'opportunities', [
      { ...opportunity, status: 'lost', opened_at: daysAgo(5), closed_date },
    ]);
    const { recommended_action } = await signalOf(org, signal?.id ?? '');
    expect(recommended_action).toMatch(
      new RegExp(`lost on \\d+ \\w{3} ${Number(closed_date.slice(0, 4))}[.]`),
    );
  });
});

test('every timestamp of a row can lie at either end', async () => {
  const org = await organization();
  const rows: [FactKind, Record<string, unknown>][] = [
    ['partners', { external_id: 'p1', name: 'Partner p1', type: 'gsi', tier: 2 }],
    ['accounts', { crm_id: 'a1', name: 'Account a1' }],
    ['opportunities', { ...opportunity, status: 'open', opened_at: `${lastDay}T23:59:59.999Z` }],
    [
      'partner_accounts',
      { partner_external_id: 'p1', external_id: 'l1', name: 'x', relationship: 'customer' },
    ],
    [
      'activities',
      {
        ...{
          external_id: 'v1',
          partner_external_id: 'p1',
          account_crm_id: 'a1',
          kind: 'referral',
          summary: 'x',
        },
        ...{ occurred_at: `${firstDay}T14:00:00+14:00`, recorded_at: `${lastDay}T23:59:59Z` },
      },
    ],
    ['exchange_rates', { date: lastDay, base: 'EUR', quote: 'USD', rate: 2 }],
  ];
  for (const [kind, row] of rows) {
    for (const source_updated_at of [`${firstDay}T00:00:00Z`, `${lastDay}T12:00:00-11:59`])
      expect(await send(org, kind, [{ ...row, source_updated_at }])).toMatchObject({ rejected: 0 });
  }
});

test('a period can begin and end anywhere', async () => {
  const org = await organization();
  await loadFacts(org, {
    opportunities: [firstDay, lastDay].map((closed_date) => ({
      ...{ status: 'won' as const, currency: 'EUR', opened_at: firstDay, closed_date },
    })),
  });
  const days = [
    firstDay,
    '0001-02-03',
    '0100-01-01',
    daysAgo(0).slice(0, 10),
    lastDay,
    `${lastDay}T23:59:59Z`,
  ];
  for (const day of days) {
    for (const path of ['/v1/attribution', '/v1/attribution/summary', '/v1/partners/scorecard'])
      for (const end of ['closed_after', 'closed_before']) await get(org, `${path}?${end}=${day}`);
    for (const end of ['closed_after', 'closed_before']) {
      const answer = await org.call('POST', '/v1/attribution/simulate', { body: { policy, [end]: day } });
      expect(answer.status, answer.text).toBe(200);
    }
    for (const end of ['fired_after', 'fired_before']) {
      const answer = await org.get(`/v1/signals/performance?${end}=${day}`);
      expect(answer.status, answer.text).toBeLessThanOrEqual(400);
    }
  }
  const monthsBefore = async (day: string) =>
    (await get(org, `/v1/partners/scorecard?closed_before=${day}`)).months;
  expect((await monthsBefore('0050-03-01')).at(-1)).toBe('0050-02');
  expect(await monthsBefore('0001-03-01')).toEqual(['0001-01', '0001-02']);
  expect(await monthsBefore(firstDay)).toEqual(['0001-01']);
  expect(await get(org, `/v1/signals/performance?fired_before=${firstDay}`)).toMatchObject({
    ...{ fired_after: firstDay, fired_before: firstDay },
  });
});

test('a key can last to the end, and a redelivery can span everything', async () => {
  const org = await organization();
  const issued = await service.operator('POST', `/admin/v1/organizations/${org.orgId}/keys`, {
    ...{ name: 'Lasting', scopes: ['write'], expires_at: `${lastDay}T23:59:59.999Z` },
  });
  const { key, expires_at } = issued.body.data;
  expect(expires_at).toBe(`${lastDay}T23:59:59.999Z`);
  const body = { url: 'https://hooks.example/x', events: ['signal.created'] };
  const made = await org.call('POST', '/v1/webhooks', { key, body });
  const span = { since: `${firstDay}T00:00:00Z`, until: `${lastDay}T23:59:59.999Z`, only: 'all' };
  const again = await org.call('POST', `/v1/webhooks/${made.body.data.id}/redeliver`, { key, body: span });
  expect(again.status, again.text).toBe(202);
});

test('pages are complete, whatever the dates that they are sorted by', async () => {
  const org = await organization();
  const ends = [firstDay, '0001-01-02', '0099-12-31', '0100-01-01', '9999-12-30', lastDay];
  await loadFacts(org, {
    opportunities: ends.map((closed_date) => ({ status: 'won', opened_at: firstDay, closed_date })),
    activities: ends
      .slice(0, 4)
      .map((day) => ({ external_id: day, occurred_at: `${day}T00:00:00Z`, summary: day })),
  });
  const walk = async (path: string) => {
    const items: Record<string, string>[] = [];
    for (let cursor = ''; ; ) {
      const answer = await org.get(`${path}?limit=1${cursor}`);
      expect(answer.status, answer.text).toBe(200);
      items.push(...answer.body.data);
      if (!answer.body.has_more) return items;
      cursor = `&cursor=${answer.body.next_cursor}`;
    }
  };
  expect((await walk('/v1/attribution')).map(({ closed_date }) => closed_date)).toEqual(ends.toReversed());
  const [partner] = await walk('/v1/partners');
  const [account] = await walk('/v1/accounts');
  for (const path of [`/v1/partners/${partner?.id}/activities`, `/v1/accounts/${account?.id}/activities`]) {
    const times = (await walk(path)).map(({ occurred_at }) => occurred_at);
    expect(times).toHaveLength(6);
    expect(times).toEqual(times.toSorted().toReversed());
  }
});

test('times before there were time zones are read as written, wherever database and service are', async () => {
  const url = await createDatabase();
  const name = new URL(url.replace('@/', '@localhost/')).pathname.slice(1);
  await service.pool.query(`alter database ${name} set timezone = 'America/New_York'`);
  const { TZ } = process.env;
  process.env.TZ = 'America/New_York';
  const away = await startTestService({}, url);
  try {
    const org = await organization(away);
    // More than a page of the log, within the two seconds that are missing from an offset in minutes.
    const old = Array.from({ length: 150 }, (_, i) =>
      new Date(Date.parse('1850-01-01') + 10 * i).toISOString(),
    );
    await loadFacts(org, {
      opportunities: [{}],
      activities: old.map((occurred_at) => ({ occurred_at })),
    });
    const [signal] = await signalsOf(org, '?type=co_sell');
    const { activity_log } = await signalOf(org, signal?.id ?? '');
    expect(activity_log.slice(1).map(({ occurred_at }) => occurred_at)).toEqual([
      ...old.toReversed(),
      `${firstDay}T00:00:00.000Z`,
    ]);
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
    await away.close();
  }
});
