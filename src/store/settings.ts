import type { OrganizationId } from '../contract/ids.ts';
import type { Settings } from '../contract/settings.ts';
import type { Queryable, Tx } from './connection.ts';

export type SettingsVersion = { version: number; settings: Settings; created_at: Date; created_by: string };

const columns = `version, settings, created_at, created_by`;

export async function findSettings(
  db: Queryable,
  orgId: OrganizationId,
): Promise<SettingsVersion | undefined> {
  const { rows } = await db.query<SettingsVersion>({
    name: 'find_settings',
    text: `select ${columns} from organization_settings where org_id = $1 order by version desc limit 1`,
    values: [orgId],
  });
  return rows[0];
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
  return rows[0] as SettingsVersion;
}
