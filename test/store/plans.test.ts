import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityId, OpportunityId, SignalId } from '../../src/contract/ids.ts';
import { listAttribution } from '../../src/store/credit/attribution.ts';
import { findNewestRateDay, findRates } from '../../src/store/credit/exchange-rates.ts';
import { connect } from '../../src/store/db/connection.ts';
import type { Tx } from '../../src/store/db/tx.ts';
import { findDueWork } from '../../src/store/delivery/due-work.ts';
import { numberEvents } from '../../src/store/delivery/event-numbers.ts';
import { deleteOldEvents, type EventRow, findPosition, listEvents } from '../../src/store/delivery/events.ts';
import { listAccounts } from '../../src/store/facts/accounts.ts';
import {
  listAccountActivities,
  listPartnerActivities,
  listSignalActivities,
} from '../../src/store/facts/activities.ts';
import type { Search } from '../../src/store/facts/begins-with.ts';
import { listOpportunities } from '../../src/store/facts/opportunities.ts';
import { findCountedPartner, listPartners } from '../../src/store/facts/partners.ts';
import { findKeyOwner, listKeys } from '../../src/store/keys/api-keys.ts';
import { listAudit } from '../../src/store/keys/audit.ts';
import { listOrganizations } from '../../src/store/keys/organizations.ts';
import { listOverlaps } from '../../src/store/matching/matches.ts';
import { takeDueRechecks } from '../../src/store/signals/pairs.ts';
import { findScoredAfter, sampleOpenOpportunities } from '../../src/store/signals/priority.ts';
import { countSignals } from '../../src/store/signals/signal-counts.ts';
import { findSignal, listSignals } from '../../src/store/signals/signal-items.ts';
import type { SignalFilters } from '../../src/store/signals/signal-page.ts';
import { expireDueSignals, updateShown } from '../../src/store/signals/signals.ts';
import { type ActivityKind, signalTypes } from '../../src/vocabulary.ts';
import { createDatabase } from '../harness.ts';
import { evaluationStatements } from './evaluation-statements.ts';
import { type Explained, type ExplainingSession, explainingSession } from './explain.ts';
import {
  activeAccount,
  big,
  busyAccount,
  busyPartner,
  eventCount,
  fillLargeStore,
  id,
  lopsided,
  newcomer,
  quietAccount,
  quietPartner,
  small,
  unnumberedCount,
} from './large-store.ts';
import { reportStatements } from './report-statements.ts';

/** What a page of 25 asks for: one row more tells whether there is another page. */
const rows = 26;
/** A page of the largest size, and the row that tells whether there is another. */
const pageRows = 101;
/** One letter finds nearly everything, more of them a few. */
const searches: Search[] = ['a', 'o', 'account 4321', 'opportunity 4321'].map((text) => ({
  name: text,
  domain: text.replace(' ', ''),
  crm_id: text.replace(/^(.)\w* /, '$1'),
}));
const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await createDatabase();
  await fillLargeStore(databaseUrl);
});

test('a statement of the service is planned once, for whatever values', async () => {
  const pool = connect({ connectionString: databaseUrl }, () => {});
  const { rows } = await pool.query('show plan_cache_mode');
  expect(rows).toEqual([{ plan_cache_mode: 'force_generic_plan' }]);
  await pool.end();
});

/** A server that was not told that its disk is fast thinks four times as ill of an index. */
describe.each([1.1, 4])('at a million signals, with a random page at %d', (randomPageCost) => {
  let session: ExplainingSession;
  beforeAll(async () => {
    session = await explainingSession(databaseUrl, {
      plan_cache_mode: 'force_generic_plan',
      random_page_cost: String(randomPageCost),
    });
  });
  afterAll(() => session.end());

  /** The plan of the one statement that `run` sends. */
  async function planOf(run: (tx: Tx) => Promise<unknown>): Promise<Explained> {
    const [plan, ...others] = await session.explain(run);
    expect(others).toEqual([]);
    return plan as Explained;
  }

  async function expectReads(run: (tx: Tx) => Promise<unknown>, bounds: Record<string, number>, what = '') {
    const { read, scanned, blocks } = await planOf(run);
    const message = `${what} read ${JSON.stringify(read)} in ${blocks} blocks`;
    expect(scanned, message).toEqual([]);
    for (const [table, count] of Object.entries(read))
      expect(count, `${message}, of ${table}`).toBeLessThanOrEqual(bounds[table] ?? 0);
    return { read, blocks };
  }

  test.each([big, newcomer])('a page of signals of %s reads at most twelve times itself', async (org) => {
    const bounds = { signals: 12 * rows, partners: rows };
    for (const filters of filterCombinations()) {
      for (const fired of [null, [daysAgo(2), id('sig', 0)], [daysAgo(340), id('sig', 0)]]) {
        const after = fired && filters.sort === 'priority' ? ['50', ...fired] : fired;
        const what = JSON.stringify({ ...filters, after });
        const { blocks } = await expectReads(
          (tx) => listSignals(tx, org, filters, rows, after),
          bounds,
          what,
        );
        // Entries of an index that are passed over count as no rows; they show here.
        expect(blocks, what).toBeLessThan(1_000);
      }
    }
  });

  test('the signals of an owner or an assignee read at most twelve times a page', async () => {
    const bounds = { signals: 12 * rows, partners: rows };
    const people: SignalFilters[] = [
      { owner: 'owner7@example.com' },
      { assignee: 'busy@example.com' },
      { assignee: 'rare@example.com' },
      { owner: 'nobody@example.com' },
    ];
    for (const person of people)
      for (const more of [
        {},
        { type: 'pre_intent' },
        { state: 'new' },
        { sort: 'priority' },
      ] as SignalFilters[]) {
        const filters = { ...person, ...more };
        await expectReads((tx) => listSignals(tx, big, filters, rows, null), bounds, JSON.stringify(filters));
      }
  });

  test('a search of signals reads a page of each account that it finds', async () => {
    for (const search of searches)
      for (const more of [{}, { state: 'new' }, { sort: 'priority', min_priority: 50 }] as SignalFilters[]) {
        const filters = { search, ...more };
        const bounds = {
          signals: 3 * pageRows * rows,
          accounts: 6 * pageRows,
          account_keys: pageRows,
          partners: rows,
        };
        await expectReads((tx) => listSignals(tx, big, filters, rows, null), bounds, JSON.stringify(filters));
      }
  });

  test.each([big, newcomer, lopsided])(
    'the newest signals of %s with a least priority take at most 19 look-ups for each type and state',
    async (org) => {
      for (const filters of leastPriorities()) {
        const lists = (filters.type ? 1 : signalTypes.length) * (filters.state ? 1 : 2);
        for (const after of [null, [daysAgo(20), id('sig', 0)]]) {
          const plan = await planOf((tx) => listSignals(tx, org, filters, rows, after));
          const { read, scanned, blocks } = plan;
          const lookups = plan.lookups.signals as number;
          const what = JSON.stringify({ ...filters, after, read, lookups, blocks });
          expect(scanned, what).toEqual([]);
          expect(lookups, what).toBeLessThanOrEqual(lists * (filters.min_priority === 0 ? 1 : 19));
          expect(read.signals, what).toBeLessThanOrEqual(rows * lookups);
          // Entries of an index that are passed over count as no rows; they show here.
          expect(blocks, what).toBeLessThan((rows + 10) * lookups + 10 * rows);
        }
      }
    },
  );

  test('what an account or a deal shows otherwise is rewritten on its own signals alone', async () => {
    const own = 20;
    const bounds = { signals: 4 * 2 * own, accounts: 2 * own, opportunities: 2 * own };
    const changed = { accounts: [quietAccount], opportunities: [id('opp', 1_234) as OpportunityId] };
    await expectReads((tx) => updateShown(tx, big, changed), bounds);
  });

  test('a step of rescoring reads its signals, and one row of each kind for each', async () => {
    for (const after of [
      ['', '', '', ''],
      [id('acc', 25_000), '', '', ''],
    ]) {
      const bounds = { signals: 500, partners: 500, opportunities: 500, matches: 500 };
      await expectReads((tx) => findScoredAfter(tx, big, after), bounds);
    }
    await expectReads((tx) => sampleOpenOpportunities(tx, big), { opportunities: 10_000 });
  });

  test('a page of partners reads little more than itself', async () => {
    for (const type of [undefined, 'gsi', 'technology_partner'] as const) {
      for (const tier of [undefined, 1, 4]) {
        for (const after of [null, ['8', '']]) {
          const filters = { ...(type && { type }), ...(tier && { tier }) };
          const bounds = { partners: 2 * rows };
          await expectReads((tx) => listPartners(tx, big, filters, rows, after), bounds, `${type} ${tier}`);
          for (const search of searches)
            await expectReads((tx) => listPartners(tx, big, { ...filters, search }, rows, after), bounds);
        }
      }
    }
  });

  test.each([big, newcomer])('a page of accounts of %s reads little more than itself', async (org) => {
    for (const after of [null, ['account 2', '']]) {
      await expectReads((tx) => listAccounts(tx, org, null, rows, after), { accounts: rows });
      // By name, by domain and by CRM ID at most a page each, and each of those found by its id.
      for (const search of searches) {
        const bounds = { accounts: 6 * pageRows, account_keys: pageRows };
        await expectReads((tx) => listAccounts(tx, org, search, rows, after), bounds, search.name);
      }
    }
  });

  test.each([big, newcomer])('a page of opportunities of %s reads little more than itself', async (org) => {
    for (const account_id of [undefined, quietAccount]) {
      for (const status of [undefined, 'open', 'lost'] as const) {
        for (const after of [null, ['opportunity 2', '']]) {
          const filters = { ...(account_id && { account_id }), ...(status && { status }) };
          const list = (search: Search | null) => (tx: Tx) =>
            listOpportunities(tx, org, filters, search, rows, after);
          const what = JSON.stringify(filters);
          await expectReads(list(null), { opportunities: 3 * rows, accounts: rows }, what);
          for (const search of searches) {
            const bounds = { opportunities: 10 * pageRows, accounts: rows, account_keys: pageRows };
            await expectReads(list(search), bounds, what);
          }
        }
      }
    }
  });

  test.each([busyPartner, quietPartner])(
    'the pages of partner %s read no more than themselves',
    async (partner) => {
      for (const after of [null, [daysAgo(200), id('act', 0)]]) {
        const bounds = { activities: rows, accounts: rows };
        await expectReads((tx) => listPartnerActivities(tx, big, partner, rows, after), bounds);
      }
      for (const after of [null, [daysAgo(20), id('acc', 0)]]) {
        const bounds = { matches: rows, accounts: rows, partner_accounts: rows };
        await expectReads((tx) => listOverlaps(tx, big, partner, rows, after), bounds);
      }
    },
  );

  test.each([activeAccount, quietAccount])(
    'a page of the timeline of %s reads little more than itself',
    async (account) => {
      for (const after of [null, [daysAgo(20), id('act', 0)]]) {
        const bounds = { activities: 2 * rows, partners: 2 * rows };
        await expectReads((tx) => listAccountActivities(tx, big, account, rows, after), bounds);
      }
    },
  );

  test('a report reads what an organization has a few times, however many partners that are', async () => {
    for (const [name, run] of Object.entries(reportStatements(big))) {
      const { read } = await planOf(run);
      for (const [table, count] of Object.entries(read)) {
        const own = await session.count(table, big);
        expect(count, `${name} of ${table}, of ${own}`).toBeLessThanOrEqual(3 * own + 10);
      }
    }
  });

  test.each([0, 4_321])('the detail of signal %i reads what it shows, and nothing else', async (number) => {
    const signal = id('sig', number) as SignalId;
    const bounds = { signals: 1, activities: 20 };
    const position = { occurred_at: new Date(daysAgo(100)), id: id('act', 0) as ActivityId };
    await expectReads((tx) => listSignalActivities(tx, big, signal, position), bounds);
    await expectReads((tx) => findSignal(tx, big, signal), {
      // For its page of the log and for the version.
      activities: 40,
      signals: 1,
      signal_changes: 2,
      partners: 1,
      accounts: 1,
      opportunities: 1,
    });
  });

  test('the credit for a deal is found by the deal', async () => {
    const bounds = { attribution_records: 10, opportunities: 3, partners: 3, accounts: 3, disputes: 3 };
    const opportunity_id = id('opp', 77) as OpportunityId;
    for (const after of [null, [daysAgo(1).slice(0, 10), id('atr', 0)]])
      await expectReads((tx) => listAttribution(tx, big, { opportunity_id }, rows, after), bounds);
  });

  test('exchange rates are read of the days that are asked for', async () => {
    const days = [3, 500, 1_500].map((day) => daysAgo(day).slice(0, 10));
    const bounds = { exchange_rates: days.length * 8 * 30 };
    await expectReads((tx) => findRates(tx, big, days, ['EUR', 'Q11'], 7), bounds);
    await expectReads((tx) => findNewestRateDay(tx, big, daysAgo(9).slice(0, 10)), { exchange_rates: 1 });
  });

  test('the lists of the operator read little more than a page', async () => {
    for (const after of [null, [id('key', 2_500)]])
      await expectReads((tx) => listKeys(tx, big, rows, after), { api_keys: 3 * rows });
    for (const after of [null, [id('org', 1_500)]])
      await expectReads((tx) => listOrganizations(tx, rows, after), { organizations: rows });
    for (const after of [null, [id('req', 1_500)]])
      await expectReads((tx) => listAudit(tx, rows, after), { operator_audit: rows });
    await expectReads((tx) => findKeyOwner(tx, Buffer.alloc(32, 1)), { api_keys: 1, organizations: 1 });
  });

  test('signals are counted without a look at them', async () => {
    const { read } = await planOf((tx) => countSignals(tx, big));
    expect(Object.keys(read)).toEqual(['signal_counts']);
  });

  test("a partner's density reads what that partner did in the window, and nobody else", async () => {
    const kinds: ActivityKind[] = ['joint_meeting'];
    const score = (partner: typeof busyPartner) => (tx: Tx) =>
      findCountedPartner(tx, big, partner, kinds, new Date(daysAgo(0)));
    const bounds = { partners: 1, organization_settings: 1, signal_counts: 12 };
    await expectReads(score(quietPartner), { ...bounds, activities: 100, matches: 100, opportunities: 200 });
    const { read } = await planOf(score(busyPartner));
    expect(read.signal_counts).toBeLessThanOrEqual(12);
    expect(read.activities).toBeLessThan(90 * 1_440 * 0.6);
  });

  test('the feed reads a page and the events of its cursor, from wherever it goes on', async () => {
    const event = (number: number) => [String(number), id('evt', number)];
    for (const after of [
      [],
      event(eventCount / 2),
      [String(eventCount / 2), id('evt', 1), ...event(eventCount / 2 - 100)],
      [String(eventCount + 5), id('evt', 1)],
      event(eventCount),
    ])
      await expectReads((tx) => listEvents(tx, big, rows, after), { event_numbers: rows + 2, events: rows });
    const last = { number: eventCount, id: id('evt', eventCount) } as EventRow;
    await expectReads((tx) => findPosition(tx, big, last), { event_numbers: 5 });
  });

  test('events are numbered without a look at any others', async () => {
    const ids = Array.from({ length: unnumberedCount }, (_, index) => id('evt', eventCount + 1 + index));
    const plans = await session.explain((tx) => numberEvents(tx, big, ids as EventRow['id'][]));
    expect(plans.map(({ read }) => read)).toEqual([{}, {}]);
  });

  test('a background step reads what it takes, whoever else is waiting', async () => {
    const due = await planOf((tx) => findDueWork(tx, big));
    expect(due.read).toMatchObject({
      signals: 1,
      rechecks: 1,
      events: 1,
      deliveries: 0,
      idempotency_keys: 0,
    });
    await expectReads((tx) => expireDueSignals(tx, big, new Date()), { signals: 2 * 500 });
    await expectReads((tx) => deleteOldEvents(tx, big), { events: 2 * 500, event_numbers: 2 * 500 });
    // The first in the queue, with eighty thousand of another organization behind it.
    await expectReads((tx) => takeDueRechecks(tx, small, new Date()), { rechecks: 3 * 200 });
    await expectReads((tx) => takeDueRechecks(tx, big, new Date()), { rechecks: 3 * 200 });
  });

  test.each([1, 1_000])('what evaluates %i pairs reads in proportion to them', async (count) => {
    const statements = await evaluationStatements(databaseUrl, count);
    for (const [name, run] of Object.entries(statements)) {
      const { read } = await planOf(run);
      // To read two hundred thousand keys once may well be better than to look for a thousand of them.
      for (const [table, number] of Object.entries(read))
        expect(number, `${name} of ${table}`).toBeLessThanOrEqual(250 * count);
    }
  });
});

function leastPriorities(): SignalFilters[] {
  return combinations([
    [{}, { type: 'overlap' }],
    [{}, { state: 'new' }],
    [{}, { partner_id: busyPartner }, { owner: 'busy@example.com' }, { assignee: 'busy@example.com' }],
    [0, 1, 30, 31, 95].map((min_priority) => ({ min_priority })),
  ]);
}

function filterCombinations(): SignalFilters[] {
  return combinations([
    [{}, { type: 'pre_intent' }, { type: 'co_sell' }],
    [{}, { state: 'new' }, { state: 'expired' }],
    [{}, { partner_id: busyPartner }, { partner_id: quietPartner }],
    [{}, { account_id: busyAccount }, { account_id: quietAccount }],
    [{}, { sort: 'priority' }, { sort: 'priority', min_priority: 90 }],
  ]);
}

function combinations(choices: SignalFilters[][]): SignalFilters[] {
  return choices.reduce((made, next) => made.flatMap((a) => next.map((b) => ({ ...a, ...b }))), [{}]);
}
