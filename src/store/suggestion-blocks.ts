import type { AccountId, OrganizationId, PartnerId } from '../contract/ids.ts';
import { columns, type Row, text } from './columns.ts';
import type { Tx } from './tx.ts';

export const accountKey = columns({ account_id: text<AccountId>(), key: text() });
export type AccountKey = Row<typeof accountKey>;

export const partnerAccountKey = columns({
  partner_id: text<PartnerId>(),
  external_id: text(),
  key: text(),
});
export type PartnerAccountKey = Row<typeof partnerAccountKey>;

/** Gives these accounts these blocking keys and no others. What they have already is not written again. */
export async function replaceAccountBlocks(
  tx: Tx,
  orgId: OrganizationId,
  accountIds: AccountId[],
  keys: AccountKey[],
): Promise<void> {
  await tx.query({
    name: 'delete_account_blocks',
    text: `
      delete from account_blocks where org_id = $1 and account_id = any($2) and (${accountKey.list}) not in (
        select ${accountKey.list} from jsonb_to_recordset($3) as r ${accountKey.record})`,
    values: [orgId, accountIds, JSON.stringify(keys)],
  });
  await tx.query({
    name: 'insert_account_blocks',
    text: `
      insert into account_blocks (org_id, ${accountKey.list})
      select $1, ${accountKey.list} from jsonb_to_recordset($2) as r ${accountKey.record}
      on conflict do nothing`,
    values: [orgId, JSON.stringify(keys)],
  });
}

export async function replacePartnerAccountBlocks(
  tx: Tx,
  orgId: OrganizationId,
  accounts: Omit<PartnerAccountKey, 'key'>[],
  keys: PartnerAccountKey[],
): Promise<void> {
  await tx.query({
    name: 'delete_partner_account_blocks',
    text: `
      delete from partner_account_blocks k using unnest($2::text[], $3::text[]) as a (partner_id, external_id)
      where k.org_id = $1 and k.partner_id = a.partner_id and k.external_id = a.external_id
        and (${partnerAccountKey.of('k')}) not in (
          select ${partnerAccountKey.list} from jsonb_to_recordset($4) as r ${partnerAccountKey.record})`,
    values: [
      orgId,
      accounts.map((account) => account.partner_id),
      accounts.map((account) => account.external_id),
      JSON.stringify(keys),
    ],
  });
  await tx.query({
    name: 'insert_partner_account_blocks',
    text: `
      insert into partner_account_blocks (org_id, ${partnerAccountKey.list})
      select $1, ${partnerAccountKey.list} from jsonb_to_recordset($2) as r ${partnerAccountKey.record}
      on conflict do nothing`,
    values: [orgId, JSON.stringify(keys)],
  });
}
