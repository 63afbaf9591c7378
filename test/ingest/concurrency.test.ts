import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Signal } from '../../src/contract/signal.ts';
import { type FactKind, factKinds } from '../../src/vocabulary.ts';
import { daysAgo, readAll } from '../facts.ts';
import { sharedEnv, startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type ServiceProcess, spawnService } from '../process.ts';
import { eventsOf } from './requests.ts';

/** One service in this process, another as a process of its own, on the same database. */
let service: TestService;
let other: ServiceProcess;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ps-two-'));
  service = await startTestService();
  other = await spawnService({ ...sharedEnv(service.databaseUrl), DATA_DIR: dataDir });
});
afterAll(async () => {
  other?.child.kill('SIGTERM');
  await other?.ended;
  await service?.close();
  await rm(dataDir, { recursive: true, force: true });
});

type Rows = Record<FactKind, Record<string, unknown>[]>;

const partners = 3;
const accounts = 12;

/** A world in which every pair has something to say, and every batch touches many of them. */
function world(): Rows {
  const times = (count: number) => Array.from({ length: count }, (_, i) => i);
  const pairs = times(partners * accounts).map((i) => ({ p: i % partners, a: Math.floor(i / partners) }));
  return {
    partners: times(partners).map((p) => ({ external_id: `p${p}`, name: `P${p}`, type: 'gsi', tier: 1 })),
    accounts: times(accounts).map((a) => ({ crm_id: `a${a}`, name: `A${a}`, domain: `a${a}.example` })),
    opportunities: times(accounts / 2).map((a) => ({
      crm_id: `o${a}`,
      account_crm_id: `a${a}`,
      name: `O${a}`,
      value: 1,
      stage: 'proposal',
      status: 'open',
      opened_at: daysAgo(5),
    })),
    partner_accounts: pairs.map(({ p, a }) => ({
      partner_external_id: `p${p}`,
      external_id: `l${a}`,
      name: `L${a}`,
      domain: `a${a}.example`,
      relationship: 'customer',
    })),
    activities: [...pairs, ...pairs].map(({ p, a }, i) => ({
      external_id: `v${i}`,
      partner_external_id: `p${p}`,
      account_crm_id: `a${a}`,
      kind: 'referral',
      occurred_at: daysAgo(1),
      summary: 'Met',
    })),
    exchange_rates: times(20).map((i) => ({
      date: `2026-01-${i + 10}`,
      base: 'EUR',
      quote: 'USD',
      rate: 1.1,
    })),
  };
}

/** What the world must end in: for each pair an overlap, and co-sell where a deal is open, else pre-intent. */
const expected = Array.from({ length: partners * accounts }, (_, i) => {
  const [p, a] = [i % partners, Math.floor(i / partners)];
  const opportunity = a < accounts / 2 ? `O${a}` : `Prospective: A${a}`;
  return [
    `overlap P${p} a${a} ${opportunity}`,
    `${a < accounts / 2 ? 'co_sell' : 'pre_intent'} P${p} a${a} ${opportunity}`,
  ];
})
  .flat()
  .sort();

const nameOf = ({ type, partner, account, opportunity }: Signal) =>
  `${type} ${partner.name} ${account.crm_id} ${opportunity.name}`;

/** In small batches; odd senders from the end to the beginning, so that two of them meet in the middle. */
async function sendAll(
  call: TestService['call'],
  org: TestOrganization,
  kind: FactKind,
  rows: unknown[],
  odd: boolean,
) {
  const batches: unknown[][] = [];
  for (let start = 0; start < rows.length; start += 9) batches.push(rows.slice(start, start + 9));
  if (odd) batches.reverse();
  const created = [];
  for (const batch of batches) {
    const body = odd ? batch.toReversed() : batch;
    const answer = await call('POST', `/ingest/v1/${kind}`, { key: org.key, body });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toMatchObject({ received: batch.length, rejected: 0 });
    created.push(answer.body.data.created);
  }
  return created.reduce((sum, count) => sum + count, 0);
}

describe('two processes that ingest the same facts at the same time, in opposite orders', () => {
  test.each([1, 2, 3])('fire each signal once and lose no row: round %i', async () => {
    const org = await service.organization();
    const rows = world();
    // References must be there, so the kinds come one after the other; within a kind all senders race.
    for (const kind of factKinds) {
      const created = await Promise.all(
        [service.call, other.call, service.call, other.call].map((call, i) =>
          sendAll(call, org, kind, rows[kind], i % 2 === 1),
        ),
      );
      expect(created.reduce((sum, count) => sum + count, 0)).toBe(rows[kind].length);
    }
    const signals = await readAll<Signal>(org, '/v1/signals');
    expect(
      signals
        .filter(({ state }) => state === 'new')
        .map(nameOf)
        .sort(),
    ).toEqual(expected);
    const created = (await eventsOf(service.pool, org.orgId)).filter(({ kind }) => kind === 'signal.created');
    expect(new Set(created.map(({ data }) => data.id)).size).toBe(created.length);
    expect(created.map(({ data }) => data.id).sort()).toEqual(signals.map(({ id }) => id).sort());
  });
});

test('clients that change signals while facts about them arrive get no error, and nothing is told twice', async () => {
  const org = await service.organization();
  const rows = world();
  for (const kind of factKinds) await sendAll(service.call, org, kind, rows[kind], false);
  const signals = await readAll<Signal>(org, '/v1/signals');
  const clients = [0, 1, 2, 3, 4, 5];
  let working = clients.length;

  /** Closes and opens every deal and meets on every account, over and over: all signals change all the time. */
  async function pipeline(call: TestService['call'], odd: boolean) {
    for (let round = 0; working > 0 || round < 2; round++) {
      const status = round % 2 === 0 ? 'lost' : 'open';
      const opportunities = rows.opportunities.map((row) => ({ ...row, status }));
      const met = rows.activities.map((row) => ({ ...row, occurred_at: daysAgo(1 + round / 100) }));
      await sendAll(call, org, 'opportunities', opportunities, odd);
      await sendAll(call, org, 'activities', met, odd);
    }
  }

  async function client(call: TestService['call'], number: number) {
    const states = ['in_progress', 'new', 'in_progress', 'handled', 'in_progress'];
    try {
      for (let i = 0; i < 40; i++) {
        const { id } = signals[(number + i * 7) % signals.length] as Signal;
        const body = { state: states[i % states.length], note: `Change ${i} of client ${number}` };
        const answer = await call('PATCH', `/v1/signals/${id}`, { key: org.key, body });
        // 409: another change came first, and the answer says what is allowed now.
        expect([200, 409], answer.text).toContain(answer.status);
      }
    } finally {
      working--;
    }
  }

  await Promise.all([
    pipeline(service.call, false),
    pipeline(other.call, true),
    ...clients.map((number) => client(number % 2 ? service.call : other.call, number)),
  ]);
  const { rows: twice } = await service.pool.query(
    `select account_id, partner_id, type, opportunity_id from signals
     where org_id = $1 and state in ('new', 'in_progress') group by 1, 2, 3, 4 having count(*) > 1`,
    [org.orgId],
  );
  expect(twice).toEqual([]);
  const all = await readAll<Signal>(org, '/v1/signals');
  const created = (await eventsOf(service.pool, org.orgId)).filter(({ kind }) => kind === 'signal.created');
  expect(created.map(({ data }) => data.id).sort()).toEqual(all.map(({ id }) => id).sort());
  const { rows: counted } = await service.pool.query(
    `select type, state, sum(count) as count from signal_counts where org_id = $1 group by 1, 2 having sum(count) <> 0 order by 1, 2`,
    [org.orgId],
  );
  const { rows: real } = await service.pool.query(
    `select type, state, count(*) as count from signals where org_id = $1 group by 1, 2 order by 1, 2`,
    [org.orgId],
  );
  expect(counted).toEqual(real);
});
