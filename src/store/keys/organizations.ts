import type { OrganizationId } from '../../contract/ids.ts';
import { type Organization, OrganizationSchema } from '../../contract/organization.ts';
import type { Plan } from '../../vocabulary.ts';
import { fieldsOf } from '../db/columns.ts';
import type { Position } from '../db/cursor.ts';
import { notifyListeners } from '../db/database-listener.ts';
import { cellOf, firstOf, run } from '../db/statement.ts';
import { all, first, type Reader, type Tx } from '../db/tx.ts';
import { addDueWork } from '../delivery/due-organizations.ts';

const columns = fieldsOf(OrganizationSchema);

export async function insertOrganization(
  tx: Tx,
  id: OrganizationId,
  name: string,
  plan: Plan,
): Promise<Organization> {
  const { rows } = await tx.query<Organization>({
    name: 'insert_organization',
    writes: ['organizations'],
    text: `insert into organizations (id, name, plan) values ($1, $2, $3) returning ${columns}`,
    values: [id, name, plan],
  });
  addDueWork(tx, id, 'now');
  return rows[0] as Organization;
}

export const findOrganization = firstOf<Organization>({
  name: 'find_organization',
  text: `select ${columns} from organizations where id = $1`,
});

export async function updateOrganization(
  tx: Tx,
  id: OrganizationId,
  changes: { name?: string; plan?: Plan },
): Promise<Organization | undefined> {
  // The plan is cached with the keys.
  await notifyListeners(tx, 'keys');
  return first<Organization>(tx, {
    name: 'update_organization',
    writes: ['organizations'],
    text: `
      update organizations
      set name = coalesce($2, name), plan = coalesce($3, plan), updated_at = now()
      where id = $1
      returning ${columns}`,
    values: [id, changes.name, changes.plan],
  });
}

/** Newest first; the ID contains the creation time. */
export async function listOrganizations(
  db: Reader,
  limit: number,
  after: Position | null,
): Promise<Organization[]> {
  return all<Organization>(db, {
    name: `list_organizations${after ? '_after' : ''}`,
    text: `select ${columns} from organizations ${after ? 'where id < $2' : ''} order by id desc limit $1`,
    values: [limit, ...(after ?? [])],
  });
}

/** Makes concurrent changes of the same organization wait; undefined if it does not exist. */
export const lockOrganization = firstOf<Organization, [], Tx>({
  name: 'lock_organization',
  text: `select ${columns} from organizations where id = $1 for no key update`,
});

const factsLock = `hashtextextended('facts ' || $1, 0)`;

/** The facts lock, until the end of the transaction. Everything that derives signals or credit from facts takes it. */
export const lockOrganizationFacts = run({
  name: 'lock_organization_facts',
  text: `select pg_advisory_xact_lock(${factsLock})`,
});

/** The same without waiting: false if another transaction has the lock. */
export const tryLockOrganizationFacts = cellOf<boolean, [], Tx>({
  name: 'try_lock_organization_facts',
  text: `select pg_try_advisory_xact_lock(${factsLock}) as locked`,
});
