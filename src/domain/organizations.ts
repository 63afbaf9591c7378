import type { OrganizationId } from '../contract/ids.ts';
import type { Organization } from '../contract/organization.ts';
import {
  defaultSettings,
  type SettingsInput,
  type SettingsVersion,
  withDefaults,
} from '../contract/settings.ts';
import type { Tx } from '../store/db/tx.ts';
import { insertOrganization, lockOrganization } from '../store/keys/organizations.ts';
import { findSettings, insertSettings } from '../store/keys/settings.ts';
import { insertScale, restartRescoring } from '../store/signals/priority.ts';
import type { Plan } from '../vocabulary.ts';

/** Every organization starts with version 1 of the settings, the defaults. */
export async function createOrganization(
  tx: Tx,
  id: OrganizationId,
  fields: { name: string; plan: Plan },
  createdBy: string,
): Promise<Organization> {
  const organization = await insertOrganization(tx, id, fields.name, fields.plan);
  await insertSettings(tx, organization.id, 1, defaultSettings, createdBy);
  await insertScale(tx, organization.id);
  return organization;
}

/** `undefined` if there is no such organization. `check` throws if the current settings are not the expected ones. */
export async function replaceSettings(
  tx: Tx,
  orgId: OrganizationId,
  settings: SettingsInput,
  createdBy: string,
  check?: (current: SettingsVersion) => void,
): Promise<SettingsVersion | undefined> {
  if (!(await lockOrganization(tx, orgId))) return undefined;
  const current = (await findSettings(tx, orgId)) as SettingsVersion;
  check?.(current);
  await restartRescoring(tx, orgId, new Date());
  return insertSettings(tx, orgId, current.version + 1, withDefaults(settings), createdBy);
}
