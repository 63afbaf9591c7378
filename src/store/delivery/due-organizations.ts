import type { OrganizationId } from '../../contract/ids.ts';
import { run } from '../db/statement.ts';
import { all, lastWritesOf, type Upkeep, type UpkeepTx } from '../db/tx.ts';

/**
 * The queue of the background work (src/jobs.ts): one row for each organization, with the time of its next check. Like
 * `due_webhooks`, the table stays on the coordinator of a Citus cluster.
 */

/** A process that dies leaves its organizations to the others after this. Two at the same organization do no harm. */
const leaseSeconds = 10;
/** A row and its work may commit on different nodes, in either order: who finds nothing checks once more. */
const secondCheckSeconds = 2;
/** The regular check of an organization with nothing to do finds what the death of a node has left without a row. */
const regularCheckSeconds = 300;
/** Work that is due later than this needs no check of its own: a regular one comes before. */
const soonMs = (regularCheckSeconds + 60) * 1_000;

/** Makes sure that the organization is checked by then. */
export function addDueWork(tx: UpkeepTx, orgId: OrganizationId, at: Date | 'now'): void {
  if (at !== 'now' && at.getTime() > Date.now() + soonMs) return;
  const last = lastWritesOf(tx, orgId);
  const { workDueAt } = last;
  if (workDueAt === null || at === 'now' || (workDueAt !== 'now' && at < workDueAt)) last.workDueAt = at;
}

export const upsertDueOrganization = run<[at: Date | 'now'], UpkeepTx>({
  name: 'upsert_due_organization',
  writes: ['due_organizations'],
  text: `
    insert into due_organizations as t (org_id, due_at) values ($1, coalesce($2, now()))
    on conflict (org_id) do update set due_at = least(t.due_at, excluded.due_at), leased_by = null, empty_checks = 0`,
  values: (at) => [at === 'now' ? null : at],
});

export type LeasedOrganization = { org_id: OrganizationId; empty_checks: number; now: Date };

/** The organizations that have waited longest for a check. */
export async function leaseOrganizations(
  db: Upkeep,
  workerId: string,
  limit: number,
): Promise<LeasedOrganization[]> {
  return all<LeasedOrganization>(db, {
    name: 'lease_organizations',
    writes: ['due_organizations'],
    text: `
      update due_organizations t set due_at = now() + interval '${leaseSeconds} s', leased_by = $1
      from (
        select org_id from due_organizations where due_at <= now() order by due_at limit $2 for update skip locked
      ) d
      where t.org_id = d.org_id
      returning t.org_id, t.empty_checks, now()`,
    values: [workerId, limit],
  });
}

/** What the next check is for: more of the same work, or whatever is due next (null if nothing is known). */
export async function releaseOrganization(
  db: Upkeep,
  workerId: string,
  { org_id, empty_checks }: LeasedOrganization,
  next: { inSeconds: number } | { at: Date | null },
): Promise<void> {
  const checks = 'at' in next ? empty_checks + 1 : 0;
  const seconds =
    'at' in next ? (empty_checks > 0 ? regularCheckSeconds : secondCheckSeconds) : next.inSeconds;
  await db.query({
    name: 'release_organization',
    writes: ['due_organizations'],
    text: `
      update due_organizations
      set leased_by = null, empty_checks = $3, due_at = least(now() + make_interval(secs => $4), $5::timestamptz)
      where org_id = $1 and leased_by = $2`,
    values: [org_id, workerId, Math.min(checks, 2), seconds, 'at' in next ? next.at : null],
  });
}
