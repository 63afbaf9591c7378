import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/contract/ids.ts';
import { createOrganization } from '../../src/domain/organizations.ts';
import type { Tx } from '../../src/store/db/tx.ts';
import { startTestService, type TestService } from '../harness.ts';
import { batchesOf, choices, type Fact, ingestBatch, world } from './worlds.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** The active records after these batches, in a new organization. Reversed records do depend on the order. */
function recordsAfter(batches: Fact[][], began: string): Promise<string[]> {
  const id = newId('org');
  return service.db.facts(id, async (tx) => {
    await createOrganization(tx, id, { name: 'Ordered', plan: 'standard' }, 'test');
    await tx.query({
      text: `update organizations set created_at = $2 where id = $1`,
      values: [id, began],
    });
    for (const batch of batches) {
      await ingestBatch(tx, id, batch);
      // The database checks this at the end of a transaction; here it must be true after every batch.
      expect(await sourcedTwice(tx, id)).toEqual([]);
    }
    return activeRecords(tx, id);
  });
}

async function sourcedTwice(tx: Tx, orgId: string): Promise<unknown[]> {
  const { rows } = await tx.query({
    text: `select opportunity_id from attribution_records
     where org_id = $1 and tier = 'sourced' and status = 'active' group by 1 having count(*) > 1`,
    values: [orgId],
  });
  return rows;
}

async function activeRecords(tx: Tx, orgId: string): Promise<string[]> {
  const { rows } = await tx.query<{ line: string }>({
    text: `select concat_ws(' ', r.tier, p.external_id, o.crm_id, r.closed_date, r.settings_version, e.lines) as line
     from attribution_records r
     join partners p on p.org_id = r.org_id and p.id = r.partner_id
     join opportunities o on o.org_id = r.org_id and o.id = r.opportunity_id
     left join lateral (
       select string_agg(concat_ws(' ', coalesce(v.external_id, e.subject), e.tier_supported, e.counted, e.reason), '; '
         order by coalesce(v.external_id, e.subject)) as lines
       from attribution_evidence e
       left join activities v on v.org_id = e.org_id and v.id = e.activity_id
       where e.org_id = r.org_id and e.record_id = r.id) e on true
     where r.org_id = $1 and r.status = 'active' order by line`,
    values: [orgId],
  });
  return rows.map(({ line }) => line);
}

test('the same facts in any order and in any batches end in the same credit, and never in two sources of a deal', async () => {
  const seen = new Set<string>();
  // Before the deals, so that the sourcing lock and the rule for late claims apply; or after them, for history.
  const began = fc.constantFrom('2023-01-01', '2024-06-16');
  await fc.assert(
    fc.asyncProperty(world, choices, choices, began, async (facts, one, two, began) => {
      const records = await recordsAfter(batchesOf(facts, one), began);
      for (const line of records) seen.add(line.split(' ', 1)[0] ?? '');
      expect(await recordsAfter(batchesOf(facts, two), began)).toEqual(records);
    }),
    { numRuns: Number(process.env.RUNS ?? 25) },
  );
  expect([...seen].sort()).toEqual(['co_sell', 'influenced', 'sourced']);
});
