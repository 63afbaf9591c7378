import { run, wrote } from '../db/statement.ts';
import type { Upkeep } from '../db/tx.ts';

/** An export that has not renewed its lease for this long was abandoned. */
export const leaseSeconds = 60;

/** False if another export of the organization is running. Uses the database's clock, because process clocks may differ. */
export const claimExport = wrote<[id: string], Upkeep>({
  name: 'claim_export',
  writes: ['exports'],
  text: `
    insert into exports as e (org_id, id, claimed_at, expires_at)
    values ($1, $2, now(), now() + interval '${leaseSeconds} s')
    on conflict (org_id) do update
    set id = excluded.id, claimed_at = excluded.claimed_at, expires_at = excluded.expires_at
    where e.expires_at < excluded.claimed_at or e.id = excluded.id`,
});

export const releaseExport = run<[id: string], Upkeep>({
  name: 'release_export',
  writes: ['exports'],
  text: `delete from exports where org_id = $1 and id = $2`,
});
