import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { expireStep } from '../../src/domain/due-signals.ts';
import { type ListedSignal, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Accounts at the start, in as many batches as there are firing times; all signals of a batch tie. */
const batches = 5;
const batchAccounts = 10;

type Change =
  | { do: 'insert'; count: number }
  | { do: 'patch'; index: number; state: 'in_progress' | 'handled' | 'expired' }
  | { do: 'expire'; index: number }
  | { do: 'withdraw'; index: number }
  | { do: 'rename' };

// Only the first half may change, so that the rest always exists.
const index = fc.nat({ max: (batches * batchAccounts) / 2 - 1 });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({
    do: fc.constant('patch' as const),
    index,
    state: fc.constantFrom('in_progress', 'handled', 'expired'),
  }),
  fc.record({ do: fc.constant('expire' as const), index }),
  fc.record({ do: fc.constant('withdraw' as const), index }),
  fc.record({ do: fc.constant('rename' as const) }),
);

test('a walk through the feed meets every signal that is there throughout exactly once, whatever happens meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 7 }),
      fc.constantFrom(
        '',
        'state=new',
        'type=overlap',
        'type=overlap&state=new',
        'partner',
        'partner&state=new',
      ),
      fc.array(change, { minLength: 30, maxLength: 60 }),
      // Which of the signals may change: a shuffle of them all.
      fc.shuffledSubarray(
        Array.from({ length: batches * batchAccounts }, (_, place) => place),
        { minLength: batches * batchAccounts },
      ),
      walkDuringChanges,
    ),
    { numRuns: 10, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false },
  );
});

async function walkDuringChanges(
  limit: number,
  filter: string,
  changes: Change[],
  order: number[],
): Promise<void> {
  const org = await service.organization();
  await loadFacts(org, {
    partners: [{}],
    accounts: order.map(() => ({})),
  });
  for (let batch = 0; batch < batches; batch++)
    await addMatches(org, 'a', batch * batchAccounts, batchAccounts);
  const listed = await readAll<ListedSignal>(org, '/v1/signals');
  expect(new Set(listed.map(({ fired_at }) => fired_at)).size).toBe(batches);
  const signals = order.map((place) => listed[place] as ListedSignal);
  const untouched = signals.slice(signals.length / 2);

  const partner = signals[0]?.partner.id;
  const query = filter.replace('partner', `partner_id=${partner}`);
  const walked: ListedSignal[] = [];
  const queue = [...changes];
  let inserted = 0;
  await Promise.all([walk(), makeChanges()]);

  const places = walked.map(({ fired_at, id }) => `${fired_at} ${id}`);
  expect(places).toEqual(places.toSorted().reverse());
  const met = new Map<string, number>();
  for (const { id } of walked) met.set(id, (met.get(id) ?? 0) + 1);
  expect(Math.max(...met.values())).toBe(1);
  expect(untouched.filter(({ id }) => met.get(id) !== 1)).toEqual([]);
  if (filter.includes('state=new')) expect(walked.filter(({ state }) => state !== 'new')).toEqual([]);
  await expectOrderlyBooks(org);

  /** At least one change falls between two pages, in addition to the continuous ones. */
  async function walk(): Promise<void> {
    for (let cursor = ''; ; ) {
      const { status, body } = await org.get(`/v1/signals?limit=${limit}&${query}${cursor}`);
      expect(status).toBe(200);
      walked.push(...body.data);
      if (!body.has_more) return;
      cursor = `&cursor=${body.next_cursor}`;
      await makeChange(queue.shift());
    }
  }

  async function makeChanges(): Promise<void> {
    while (queue.length > 0) await makeChange(queue.shift());
  }

  async function makeChange(step: Change | undefined): Promise<void> {
    const signal = step && 'index' in step ? (signals[step.index] as ListedSignal) : undefined;
    switch (step?.do) {
      case 'insert': {
        const first = inserted;
        inserted += step.count;
        return addMatches(org, 'b', first, step.count);
      }
      case 'patch': {
        const path = `/v1/signals/${signal?.id}`;
        const { status } = await org.call('PATCH', path, { body: { state: step.state } });
        expect([200, 409]).toContain(status);
        return;
      }
      case 'expire': {
        // The background job runs once a second, which is longer than reading the list.
        await service.pool.query(`update signals set expires_at = now() where id = $1`, [signal?.id]);
        const orgId = org.orgId as OrganizationId;
        await service.db.write(orgId, (tx) => expireStep(tx, orgId, new Date(), true));
        return;
      }
      case 'withdraw':
        return loadFacts(org, {
          partner_accounts: [{ external_id: signal?.account.crm_id ?? '', deleted: true }],
        });
      case 'rename':
        return loadFacts(org, { partners: [{ name: `Partner p1 of ${walked.length}` }] });
    }
  }
}

async function addMatches(
  org: TestOrganization,
  prefix: string,
  first: number,
  count: number,
): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}${first + index + 1}`);
  await loadFacts(org, {
    ...(prefix === 'a' ? {} : { accounts: names.map((crm_id) => ({ crm_id })) }),
    partner_accounts: names.map((name) => ({ external_id: name, domain: `${name}.example` })),
  });
}

/** Afterwards, the counts must match the list, and each history must lead to the current state. */
async function expectOrderlyBooks({ orgId }: TestOrganization): Promise<void> {
  const { rows: wrongCounts } = await service.pool.query(
    `select type, state, c.count, l.count as listed
     from (select type, state, sum(count) as count from signal_counts where org_id = $1 group by 1, 2) c
     full join (select type, state, count(*) from signals where org_id = $1 group by 1, 2) l using (type, state)
     where coalesce(c.count, 0) <> coalesce(l.count, 0)`,
    [orgId],
  );
  expect(wrongCounts).toEqual([]);
  const { rows: wrongHistories } = await service.pool.query(
    `select signal_id, number from (
       select c.*, lag(to_state, 1, 'new') over w as before, lead(from_state, 1, s.state) over w as after
       from signal_changes c join signals s on s.org_id = c.org_id and s.id = c.signal_id
       where c.org_id = $1 window w as (partition by c.signal_id order by c.number)
     ) c where from_state <> before or to_state <> after`,
    [orgId],
  );
  expect(wrongHistories).toEqual([]);
}
