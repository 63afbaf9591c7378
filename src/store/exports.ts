import type { Queryable } from './tx.ts';

/** False where another export of the organization is under way. */
export async function claimExport(
  db: Queryable,
  orgId: string,
  id: string,
  now: Date,
  expiresAt: Date,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'claim_export',
    text: `
      insert into exports as e (org_id, id, expires_at) values ($1, $2, $4)
      on conflict (org_id) do update set id = excluded.id, expires_at = excluded.expires_at
      where e.expires_at < $3 or e.id = excluded.id`,
    values: [orgId, id, now, expiresAt],
  });
  return rowCount === 1;
}

export async function releaseExport(db: Queryable, orgId: string, id: string): Promise<void> {
  await db.query({
    name: 'release_export',
    text: `delete from exports where org_id = $1 and id = $2`,
    values: [orgId, id],
  });
}
