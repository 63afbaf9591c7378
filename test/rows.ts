import { newId } from '../src/contract/ids.ts';
import { sortKey } from '../src/contract/values/sort-key.ts';
import type { Pool } from '../src/store/db/connection.ts';
import type { PartnerType } from '../src/vocabulary.ts';

/** Inserts rows like those of ingest. */
export async function insertPartners(
  pool: Pool,
  orgId: string,
  partners: { name: string; type: PartnerType; tier: number }[],
): Promise<string[]> {
  const ids = partners.map(() => newId('prt'));
  await pool.query(
    `insert into partners (org_id, id, external_id, name, name_key, type, tier)
     select $1, id, id, name, name_key, type, tier
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[]) as t (id, name, name_key, type, tier)`,
    [
      orgId,
      ids,
      partners.map((p) => p.name),
      partners.map((p) => sortKey(p.name)),
      partners.map((p) => p.type),
      partners.map((p) => p.tier),
    ],
  );
  return ids;
}
