import type { OrganizationId } from '../contract/ids.ts';
import {
  type Settings,
  type SettingsVersion,
  SettingsVersionSchema,
  withDefaults,
} from '../contract/settings.ts';
import { fieldsOf } from './columns.ts';
import type { Position } from './cursor.ts';
import type { Queryable, Tx } from './tx.ts';

const columns = fieldsOf(SettingsVersionSchema);

export async function findSettings(
  db: Queryable,
  orgId: OrganizationId,
): Promise<SettingsVersion | undefined> {
  const { rows } = await db.query<SettingsVersion>({
    name: 'find_settings',
    text: `select ${columns} from organization_settings where org_id = $1 order by version desc limit 1`,
    values: [orgId],
  });
  return rows[0] && complete(rows[0]);
}

/** All versions, oldest first. */
export async function listSettings(db: Queryable, orgId: OrganizationId): Promise<SettingsVersion[]> {
  const { rows } = await db.query<SettingsVersion>({
    name: 'list_settings',
    text: `select ${columns} from organization_settings where org_id = $1 order by version`,
    values: [orgId],
  });
  return rows.map(complete);
}

/** Newest first. */
export async function listSettingsVersions(
  db: Queryable,
  orgId: OrganizationId,
  limit: number,
  after: Position | null,
): Promise<SettingsVersion[]> {
  const { rows } = await db.query<SettingsVersion>({
    name: 'list_settings_versions',
    text: `
      select ${columns} from organization_settings where org_id = $1 and ($3::int is null or version < $3)
      order by version desc limit $2`,
    values: [orgId, limit, after?.[0] ?? null],
  });
  return rows.map(complete);
}

export async function insertSettings(
  tx: Tx,
  orgId: OrganizationId,
  version: number,
  settings: Settings,
  createdBy: string,
): Promise<SettingsVersion> {
  const { rows } = await tx.query<SettingsVersion>({
    name: 'insert_settings',
    text: `
      insert into organization_settings (org_id, version, settings, created_by)
      values ($1, $2, $3, $4)
      returning ${columns}`,
    values: [orgId, version, settings, createdBy],
  });
  return complete(rows[0] as SettingsVersion);
}

function complete(version: SettingsVersion): SettingsVersion {
  return { ...version, settings: withDefaults(version.settings) };
}
