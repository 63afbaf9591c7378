import type { AccountId, OrganizationId, PartnerId } from '../../contract/ids.ts';
import { arraysOf, columns, type Row, text } from '../db/columns.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { all, type Tx } from '../db/tx.ts';

export const accountKeyColumns = columns({ account_id: text<AccountId>(), key: text() });
export type AccountKey = Row<typeof accountKeyColumns>;

export const partnerAccountKeyColumns = columns({
  partner_id: text<PartnerId>(),
  external_id: text(),
  key: text(),
});
export type PartnerAccountKey = Row<typeof partnerAccountKeyColumns>;

/** Replaces the blocking keys of these accounts. Unchanged keys are not written. */
export async function replaceAccountBlocks(
  tx: Tx,
  orgId: OrganizationId,
  accountIds: AccountId[],
  keys: AccountKey[],
): Promise<void> {
  const held = await all<AccountKey>(tx, {
    name: 'find_account_blocks',
    text: `select ${accountKeyColumns.list} from account_blocks where org_id = $1 and account_id = any($2)`,
    values: [orgId, accountIds],
  });
  await exchange(tx, orgId, 'account_blocks', accountKeyColumns, held, keys);
}

export async function replacePartnerAccountBlocks(
  tx: Tx,
  orgId: OrganizationId,
  accounts: Omit<PartnerAccountKey, 'key'>[],
  keys: PartnerAccountKey[],
): Promise<void> {
  const held = await all<PartnerAccountKey>(tx, {
    name: 'find_partner_account_blocks',
    text: `
      select ${partnerAccountKeyColumns.of('k')} from unnest($2::text[], $3::text[]) as g (partner_id, external_id)
      cross join lateral (
        select ${partnerAccountKeyColumns.list} from partner_account_blocks
        where org_id = $1 and partner_id = g.partner_id and external_id = g.external_id ${plannerFence}) k`,
    values: [orgId, ...arraysOf(accounts, 'partner_id', 'external_id')],
  });
  await exchange(tx, orgId, 'partner_account_blocks', partnerAccountKeyColumns, held, keys);
}

async function exchange<Key extends object>(
  tx: Tx,
  orgId: OrganizationId,
  table: 'account_blocks' | 'partner_account_blocks',
  { list, record, declared }: { list: string; record: string; declared: { [Column in keyof Key]: unknown } },
  held: Key[],
  given: Key[],
): Promise<void> {
  const textOf = (key: Key) =>
    JSON.stringify(Object.keys(declared).map((column) => key[column as keyof Key]));
  const without = (keys: Key[], others: Key[]) => {
    const known = new Set(others.map(textOf));
    return keys.filter((key) => !known.has(textOf(key)));
  };
  const [gone, added] = [without(held, given), without(given, held)];
  const rows = `select ${list} from jsonb_to_recordset($2) as r ${record}`;
  if (gone.length > 0)
    await tx.query({
      name: `delete_${table}`,
      writes: [table],
      text: `delete from ${table} where org_id = $1 and (${list}) in (${rows})`,
      values: [orgId, JSON.stringify(gone)],
    });
  if (added.length > 0)
    await tx.query({
      name: `insert_${table}`,
      writes: [table],
      text: `insert into ${table} (org_id, ${list}) select $1, r.* from (${rows}) r`,
      values: [orgId, JSON.stringify(added)],
    });
}
