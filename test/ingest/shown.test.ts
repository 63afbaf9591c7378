import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, type OrganizationId } from '../../src/contract/ids.ts';
import type { FactRow } from '../../src/contract/ingest.ts';
import { personKey } from '../../src/contract/person.ts';
import { type Signal, SignalSchema } from '../../src/contract/signal.ts';
import { ingest } from '../../src/domain/ingest/ingest.ts';
import { createOrganization } from '../../src/domain/organizations.ts';
import { itemColumns, joinSummary, toItem } from '../../src/store/db/item-columns.ts';
import type { FactsTx, Tx } from '../../src/store/db/tx.ts';
import { listSignals } from '../../src/store/signals/signal-items.ts';
import { setAssignee, setSignalState } from '../../src/store/signals/signals.ts';
import type { FactKind } from '../../src/vocabulary.ts';
import { startTestService, type TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const now = new Date('2026-06-15T12:00:00.007Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();

/** Everything that JSON escapes, or could get wrong. */
const name = fc.constantFrom(
  'Mills',
  'Mühle „Süd“ 🏭',
  'a "quoted" \\ name',
  'two\nlines\tand\u2028\u007f',
  '\\n',
);
const owner = fc.constantFrom(null, { name: 'Ada "A"\n', email: 'Ada@Example.com' }, { name: 'Noor' });
const account = fc.constantFrom('a0', 'a1', 'a2');
const opportunity = fc.constantFrom('o0', 'o1', 'o2', 'o3');
const partner = fc.constantFrom('p0', 'p1');

type Step =
  | { [K in FactKind]: { kind: K; row: FactRow<K> | { crm_id: string } } }[FactKind]
  | { kind: 'work'; place: number; assigns: boolean };

function fact<K extends FactKind>(kind: K, row: fc.Arbitrary<FactRow<K> | { crm_id: string }>) {
  return row.map((row) => ({ kind, row }) as Step);
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fact('accounts', fc.record({ crm_id: account, name, owner, domain: fc.constant('x.example') })),
  fact(
    'accounts',
    fc.constant({ crm_id: 'a2', name: 'Gone', domain: null, merged_into: 'a1', owner: { name: 'Last' } }),
  ),
  fact('accounts', fc.record({ crm_id: account })),
  {
    weight: 3,
    arbitrary: fact(
      'opportunities',
      fc.record({
        crm_id: opportunity,
        account_crm_id: account,
        name,
        owner,
        value: fc.constantFrom(0, 0.1, 48_000, 1_234_567_890.12, 1e12),
        currency: fc.constantFrom(null, 'EUR'),
        stage: name,
        status: fc.constantFrom('open', 'open', 'won', 'lost'),
        opened_at: fc.constantFrom(daysAgo(0), daysAgo(40)),
        closed_date: fc.constant(daysAgo(0).slice(0, 10)),
      }),
    ),
  },
  fact('opportunities', fc.record({ crm_id: opportunity })),
  fact('partners', fc.record({ external_id: partner, name, type: fc.constant('gsi'), tier: fc.constant(2) })),
  {
    weight: 3,
    arbitrary: fact(
      'activities',
      fc.record({
        external_id: fc.constantFrom('v0', 'v1', 'v2', 'v3', 'v4'),
        partner_external_id: partner,
        account_crm_id: account,
        kind: fc.constantFrom('joint_meeting', 'exec_intro', 'content_touch', 'referral'),
        occurred_at: fc.constantFrom(daysAgo(1), daysAgo(20)),
        summary: fc.constant('Something'),
      }),
    ),
  },
  fc.record({ kind: fc.constant('work' as const), place: fc.nat(), assigns: fc.boolean() }),
);

const start: Step[] = [
  ...['p0', 'p1'].map((external_id): Step => {
    return { kind: 'partners', row: { external_id, name: external_id, type: 'gsi', tier: 2 } };
  }),
  ...['a0', 'a1', 'a2'].map((crm_id): Step => {
    return { kind: 'accounts', row: { crm_id, name: crm_id, domain: `${crm_id}.example` } };
  }),
  ...['p0', 'p1'].flatMap((partner_external_id) =>
    ['a0', 'a1', 'a2', 'x'].map((external_id): Step => {
      const row = { partner_external_id, external_id, name: external_id, domain: `${external_id}.example` };
      return { kind: 'partner_accounts', row: { ...row, relationship: 'customer' } };
    }),
  ),
];

async function take(tx: FactsTx, orgId: OrganizationId, step: Step): Promise<void> {
  if (step.kind !== 'work') {
    const form = 'name' in step.row || 'kind' in step.row ? 'full' : 'withdrawal';
    // A refused row changes nothing, which must also agree.
    const rows = [{ index: 0, form, row: step.row }] as never;
    await ingest(tx, orgId, step.kind, rows, { now, backfill: false });
    return;
  }
  const signals = await listSignals(tx, orgId, {}, 100, null);
  const signal = signals[step.place % signals.length];
  if (!signal) return;
  const change = { from: signal.state, to: 'handled' as const, ended_at: now, end_reason: null };
  if (step.assigns)
    await setAssignee(tx, orgId, signal.id, { name: 'Ines "I"', email: 'i@example.com' }, now);
  else await setSignalState(tx, orgId, signal.id, { ...change, dismiss_reason: null }, now);
}

/** From the facts as they stand, and the key by which its owner is found. */
async function derived(tx: Tx, orgId: OrganizationId): Promise<(Signal & { owner_key: string | null })[]> {
  const columns = itemColumns(SignalSchema, 's', {
    priority: `case when s.state in ('new', 'in_progress') then s.priority end`,
    owner: 'coalesce(opportunity.owner, account.owner)',
    recommended_action: `concat(s.recommended_action, ', ' || s.urgency, '.')`,
  });
  const { rows } = await tx.query({
    text: `
      select ${columns}, s.owner_key from signals s
      ${(['partner', 'account', 'opportunity'] as const).map((one) => joinSummary(one, `s.${one}_id`)).join(' ')}
      where s.org_id = $1 order by s.fired_at desc, s.id desc`,
    values: [orgId],
  });
  return rows.map(toItem<Signal & { owner_key: string | null }>);
}

test('after any facts a signal shows its account, its deal and their owner as they are', async () => {
  let shown = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), (steps) => {
      const id = newId('org');
      return service.db.facts(id, async (tx) => {
        await createOrganization(tx, id, { name: 'Shown', plan: 'standard' }, 'test');
        for (const one of start) await take(tx, id, one);
        for (const one of steps) {
          await take(tx, id, one);
          const items = await derived(tx, id);
          shown += items.length;
          expect(await listSignals(tx, id, {}, 100, null)).toEqual(
            items.map(({ owner_key, ...item }) => {
              expect(owner_key).toEqual(personKey(item.owner));
              return item;
            }),
          );
        }
      });
    }),
    { numRuns: Number(process.env.RUNS ?? 25) },
  );
  expect(shown).toBeGreaterThan(500);
});
