import {
  type Account,
  AccountSchema,
  type StoredAccount,
  StoredAccountSchema,
} from '../../contract/account.ts';
import type { AccountId, OrganizationId } from '../../contract/ids.ts';
import { fieldsOf } from '../db/columns.ts';
import type { Position } from '../db/cursor.ts';
import { firstRows } from '../db/first-rows.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { firstOf, variant } from '../db/statement.ts';
import { all, type Reader } from '../db/tx.ts';
import { accountsFound, type Search } from './begins-with.ts';

type Listed = Account & { name_key: string };

const item = `${fieldsOf(AccountSchema)}, name_key`;
const listed = 'org_id = $1 and deleted_at is null and merged_into is null';

/** By name. Results by domain or CRM ID are a page at most, and are sorted in among the names. */
export async function listAccounts(
  db: Reader,
  orgId: OrganizationId,
  search: Search | null,
  limit: number,
  after: Position | null,
): Promise<Listed[]> {
  const values: unknown[] = [orgId, limit];
  const beyond = after ? `(name_key, id) > ($${values.push(after[0])}, $${values.push(after[1])})` : 'true';
  const named = `select ${item} from accounts where ${listed} and ${beyond}`;
  const text = search
    ? firstRows(
        `select a.* from (${accountsFound(search, values, beyond)}) found
        cross join lateral (${named} and id = found.id ${plannerFence}) a`,
        'name_key, id',
        '$2',
      )
    : `${named} order by name_key, id limit $2`;
  return all<Listed>(db, variant('list_accounts', text, values));
}

export const findAccount = firstOf<StoredAccount, [id: AccountId]>({
  name: 'find_account',
  text: `
    select ${fieldsOf(StoredAccountSchema)} from accounts where org_id = $1 and id = $2 and deleted_at is null`,
});
