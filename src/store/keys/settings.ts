import {
  type Settings,
  type SettingsVersion,
  SettingsVersionSchema,
  withDefaults,
} from '../../contract/settings.ts';
import { fieldsOf } from '../db/columns.ts';
import type { Position } from '../db/cursor.ts';
import { firstOf, oneOf, rowsOf } from '../db/statement.ts';
import type { Tx } from '../db/tx.ts';

const columns = fieldsOf(SettingsVersionSchema);

export const findSettings = firstOf<SettingsVersion>(
  {
    name: 'find_settings',
    text: `select ${columns} from organization_settings where org_id = $1 order by version desc limit 1`,
  },
  complete,
);

/** All versions, oldest first. */
export const listSettings = rowsOf<SettingsVersion>(
  {
    name: 'list_settings',
    text: `select ${columns} from organization_settings where org_id = $1 order by version`,
  },
  complete,
);

/** Newest first. */
export const listSettingsVersions = rowsOf<SettingsVersion, [limit: number, after: Position | null]>(
  {
    name: 'list_settings_versions',
    text: `
      select ${columns} from organization_settings where org_id = $1 and ($3::int is null or version < $3)
      order by version desc limit $2`,
    values: (limit, after) => [limit, after?.[0] ?? null],
  },
  complete,
);

type NewVersion = [version: number, settings: Settings, createdBy: string];

export const insertSettings = oneOf<SettingsVersion, NewVersion, Tx>(
  {
    name: 'insert_settings',
    writes: ['organization_settings'],
    text: `
      insert into organization_settings (org_id, version, settings, created_by)
      values ($1, $2, $3, $4)
      returning ${columns}`,
  },
  complete,
);

function complete(version: SettingsVersion): SettingsVersion {
  return { ...version, settings: withDefaults(version.settings) };
}
