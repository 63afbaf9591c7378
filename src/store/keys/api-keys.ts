import { Type } from 'typebox';
import type { KeyId, OrganizationId } from '../../contract/ids.ts';
import { type ApiKey, ApiKeySchema, type OwnKey, OwnKeySchema } from '../../contract/key.ts';
import { defaultSettings } from '../../contract/settings.ts';
import type { Plan, Scope } from '../../vocabulary.ts';
import { arraysOf, fieldsOf } from '../db/columns.ts';
import { notifyListeners } from '../db/database-listener.ts';
import { itemColumns } from '../db/item-columns.ts';
import { oneOf, pageOf } from '../db/statement.ts';
import { first, type Reader, type Tx, type Upkeep } from '../db/tx.ts';
import { findSettings } from './settings.ts';

const columns = fieldsOf(ApiKeySchema);

export const insertKey = oneOf<
  ApiKey,
  [key: { id: KeyId; name: string; scopes: Scope[]; hash: Buffer; expires_at: Date | null }],
  Tx
>({
  name: 'insert_key',
  writes: ['api_keys'],
  text: `
    insert into api_keys (org_id, id, name, scopes, hash, expires_at)
    values ($1, $2, $3, $4, $5, $6)
    returning ${columns}`,
  values: (key) => [key.id, key.name, key.scopes, key.hash, key.expires_at],
});

export type KeyOwner = {
  org_id: OrganizationId;
  plan: Plan;
  key_id: KeyId;
  key_name: string;
  scopes: Scope[];
  exposed_at: Date | null;
};

/**
 * The only statement without an organization: it finds the organization of the caller. Returns the time until the key
 * expires, by the database's clock; null if it never does.
 */
export async function findKeyOwner(
  db: Reader,
  hash: Buffer,
): Promise<{ owner: KeyOwner; ms_left: number | null } | undefined> {
  const row = await first<KeyOwner & { ms_left: number | null }>(db, {
    name: 'find_key_owner',
    text: `
      select k.org_id, o.plan, k.id as key_id, k.name as key_name, k.scopes, k.exposed_at,
        (extract(epoch from k.expires_at - now()) * 1000)::float8 as ms_left
      from api_keys k join organizations o on o.id = k.org_id
      where k.hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
    values: [hash],
  });
  if (!row) return undefined;
  const { ms_left, ...owner } = row;
  return { owner, ms_left };
}

export async function findOwnKey(db: Reader, orgId: OrganizationId, id: KeyId): Promise<OwnKey | undefined> {
  const key = await first<OwnKey>(db, {
    name: 'find_own_key',
    text: `
      select ${itemColumns(Type.Omit(OwnKeySchema, ['organization']), 'k')},
        json_build_object('id', o.id, 'name', o.name, 'plan', o.plan) as organization
      from api_keys k join organizations o on o.id = k.org_id
      where k.org_id = $1 and k.id = $2`,
    values: [orgId, id],
  });
  const { disputes } = (await findSettings(db, orgId))?.settings ?? defaultSettings;
  return key && { ...key, organization: { ...key.organization, ...disputes } };
}

/** Newest first. */
export const listKeys = pageOf<ApiKey>({
  name: 'list_keys',
  text: (after) => `
    select ${columns} from api_keys where org_id = $1 and revoked_at is null ${after} order by id desc limit $2`,
  after: 'and id < $3',
});

/** The commit notifies every process. */
export async function revokeKey(tx: Tx, orgId: OrganizationId, id: KeyId): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'revoke_key',
    writes: ['api_keys'],
    text: `update api_keys set revoked_at = now() where org_id = $1 and id = $2 and revoked_at is null`,
    values: [orgId, id],
  });
  await notifyListeners(tx, 'keys');
  return rowCount === 1;
}

/** Keeps the time of the first exposure, from which the key cannot be trusted. */
export async function markKeyExposed(
  tx: Tx,
  orgId: OrganizationId,
  id: KeyId,
  revoke: boolean,
): Promise<void> {
  await tx.query({
    name: 'mark_key_exposed',
    writes: ['api_keys'],
    text: `
      update api_keys
      set exposed_at = coalesce(exposed_at, now()), revoked_at = case when $3 then coalesce(revoked_at, now()) else revoked_at end
      where org_id = $1 and id = $2`,
    values: [orgId, id, revoke],
  });
  await notifyListeners(tx, 'keys');
}

/** Many keys of many organizations in one statement, each identified together with its organization. */
export async function touchKeys(
  db: Upkeep,
  uses: { orgId: OrganizationId; keyId: KeyId; at: Date }[],
): Promise<void> {
  await db.query({
    name: 'touch_keys',
    writes: ['api_keys'],
    text: `
      update api_keys k set last_used_at = greatest(k.last_used_at, u.at)
      from unnest($1::text[], $2::text[], $3::timestamptz[]) as u (org_id, id, at)
      where k.org_id = u.org_id and k.id = u.id`,
    values: arraysOf(uses, 'orgId', 'keyId', 'at'),
  });
}
