import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { daysAgo, loadFacts } from '../facts.ts';
import { type Answer, startTestService, type TestOrganization, type TestService } from '../harness.ts';
import {
  credits,
  detailOf,
  emittedBy,
  eventsOf,
  type ListedDispute,
  openDispute,
  recordOf,
  recordsOf,
  resolveDispute,
  wonByThree,
} from './requests.ts';

/** Two independent services on one database. */
let service: TestService;
let other: TestService;
beforeAll(async () => {
  service = await startTestService();
  other = await startTestService({}, service.databaseUrl);
});
afterAll(async () => {
  await other?.close();
  await service?.close();
});

/** The same organization, through either service. */
function through<T extends TestOrganization>(org: T, place: number): T {
  const { call } = place % 2 === 0 ? service : other;
  return { ...org, call: (method, path, options) => call(method, path, { key: org.key, ...options }) };
}

const times = <T>(count: number, make: (place: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();

test.each([1, 2, 3])('a deal that is won on two services at once is credited once: round %i', async () => {
  const org = await service.organization();
  const partners = ['p1', 'p2', 'p3'];
  const opportunities = times(6, (i) => `o${i + 1}`);
  const won = (status: 'open' | 'won') =>
    opportunities.map((crm_id, i) => ({
      crm_id,
      account_crm_id: `a${i + 1}`,
      name: `Opportunity ${crm_id}`,
      value: 1,
      stage: 'x',
      status,
      opened_at: daysAgo(10),
      ...(status === 'won' ? { closed_date: daysAgo(0).slice(0, 10) } : {}),
    }));
  await loadFacts(org, {
    partners: partners.map(() => ({})),
    accounts: opportunities.map(() => ({})),
    opportunities: won('open'),
    activities: opportunities.flatMap((_, i) =>
      partners.map((partner_external_id, p) => ({
        partner_external_id,
        account_crm_id: `a${i + 1}`,
        kind: 'referral' as const,
        occurred_at: daysAgo(20 - p),
      })),
    ),
  });
  const late = opportunities.flatMap((opportunity, i) =>
    partners.map((partner_external_id) => ({
      external_id: `late ${opportunity} ${partner_external_id}`,
      partner_external_id,
      account_crm_id: `a${i + 1}`,
      kind: 'joint_meeting',
      occurred_at: daysAgo(5),
      summary: 'Met',
    })),
  );
  const rows = won('won');
  const answers = await Promise.all(
    times(8, (i) => {
      const [kind, body] = i % 4 < 2 ? ['opportunities', rows] : ['activities', late];
      return through(org, i).call('POST', `/ingest/v1/${kind}`, { body: i < 4 ? body : body.toReversed() });
    }),
  );
  for (const { status, text, body } of answers) {
    expect(status, text).toBe(200);
    expect(body.data.rejected).toBe(0);
  }
  const expected = opportunities.flatMap((opportunity) => [
    `p1 on ${opportunity}: sourced`,
    `p2 on ${opportunity}: co_sell`,
    `p3 on ${opportunity}: co_sell`,
  ]);
  expect(await credits(org)).toEqual(expected.sort());
  const created = (await eventsOf(service, org)).filter(({ kind }) => kind === 'attribution.created');
  expect(created.map(({ data }) => data.id).sort()).toEqual(
    (await recordsOf(org)).map(({ id }) => id).sort(),
  );
});

test('of many who open a dispute on a record at once, one succeeds', async () => {
  const org = await wonByThree(service);
  const { id } = await recordOf(org, 'p3');
  let answers: Answer[] = [];
  const emitted = await emittedBy(service, org, async () => {
    answers = await Promise.all(
      times(10, (i) => openDispute(through(org, i), id, i % 3 ? 'sourced' : 'influenced')),
    );
  });
  expect(statuses(answers)).toEqual([201, ...Array(9).fill(409)]);
  for (const { status, body } of answers)
    if (status === 409) expect(body.error.code).toBe('dispute_already_open');
  expect(emitted).toHaveLength(1);
  expect((await detailOf(org, id)).dispute_history).toHaveLength(1);
});

test('the same Idempotency-Key sent to both concurrently opens one dispute, and all get its response', async () => {
  const org = await wonByThree(service);
  const { id } = await recordOf(org, 'p3');
  const headers = { 'idempotency-key': randomUUID() };
  const answers = await Promise.all(
    times(6, (i) => openDispute(through(org, i), id, 'sourced', { headers })),
  );
  expect(statuses(answers)).toEqual(Array(6).fill(201));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter((answer) => answer.headers['idempotency-replayed'])).toHaveLength(5);
});

test('of many who resolve a dispute at once, one decides', async () => {
  const org = await wonByThree(service);
  const { id } = await recordOf(org, 'p3');
  const dispute = (await openDispute(org, id, 'sourced')).body.data as ListedDispute;
  const answers = await Promise.all(
    times(9, (i) =>
      resolveDispute(through(org, i), dispute, { status: ['accepted', 'rejected', 'withdrawn'][i % 3] }),
    ),
  );
  expect(statuses(answers)).toEqual([200, ...Array(8).fill(409)]);
  const decided = answers.find(({ status }) => status === 200)?.body.data;
  const record = await detailOf(org, id);
  expect(record.dispute_history).toEqual([decided]);
  expect(record.dispute_status).toBe(decided.status);
  expect(record.tier).toBe(decided.status === 'accepted' ? 'sourced' : 'co_sell');
});

test.each([1, 2, 3, 4])('of two claims to “sourced” accepted at once, one holds: round %i', async () => {
  const org = await wonByThree(service);
  const claims = await Promise.all(
    ['p2', 'p3'].map(async (partner) => {
      const answer = await openDispute(org, (await recordOf(org, partner)).id, 'sourced');
      return answer.body.data as ListedDispute;
    }),
  );
  const answers = await Promise.all([
    ...claims.map((claim, i) => resolveDispute(through(org, i), claim, { status: 'accepted' })),
    // The deal is lost and won again meanwhile.
    ...times(4, (i) =>
      org.load('2024-03-11', {
        opportunities: [
          i % 2
            ? { opened_at: '2024-03-01', status: 'won' as const, closed_date: '2024-03-10' }
            : { opened_at: '2024-03-01' },
        ],
      }),
    ),
  ]);
  const [p2, p3] = answers as Answer[];
  expect(statuses([p2 as Answer, p3 as Answer])).toEqual([200, 409]);
  expect([p2, p3].find((answer) => answer?.status === 409)?.body.error.code).toBe('sourced_taken');

  await org.load('2024-03-11', {
    opportunities: [{ opened_at: '2024-03-01', status: 'won', closed_date: '2024-03-10' }],
  });
  const winner = p2?.status === 200 ? 'p2' : 'p3';
  expect(await credits(org)).toEqual(
    ['p1 on o1: influenced', 'p2 on o1: co_sell', 'p3 on o1: co_sell'].map((line) =>
      line.startsWith(winner) ? `${winner} on o1: sourced` : line,
    ),
  );
});
