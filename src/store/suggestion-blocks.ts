import type { AccountId, OrganizationId, PartnerId } from '../contract/ids.ts';
import type { Tx } from './tx.ts';

type PartnerAccountRef = { partner_id: PartnerId; external_id: string };

/** Takes the blocking keys of these accounts away and gives them the new ones. */
export async function replaceAccountBlocks(
  tx: Tx,
  orgId: OrganizationId,
  accountIds: AccountId[],
  keys: { account_id: AccountId; key: string }[],
): Promise<void> {
  await tx.query({
    name: 'delete_account_blocks',
    text: `delete from account_blocks where org_id = $1 and account_id = any($2)`,
    values: [orgId, accountIds],
  });
  await tx.query({
    name: 'insert_account_blocks',
    text: `
      insert into account_blocks (org_id, key, account_id)
      select $1, key, account_id from jsonb_to_recordset($2) as r (key text, account_id text)`,
    values: [orgId, JSON.stringify(keys)],
  });
}

export async function replacePartnerAccountBlocks(
  tx: Tx,
  orgId: OrganizationId,
  accounts: PartnerAccountRef[],
  keys: (PartnerAccountRef & { key: string })[],
): Promise<void> {
  await tx.query({
    name: 'delete_partner_account_blocks',
    text: `
      delete from partner_account_blocks k using unnest($2::text[], $3::text[]) as a (partner_id, external_id)
      where k.org_id = $1 and k.partner_id = a.partner_id and k.external_id = a.external_id`,
    values: [
      orgId,
      accounts.map((account) => account.partner_id),
      accounts.map((account) => account.external_id),
    ],
  });
  await tx.query({
    name: 'insert_partner_account_blocks',
    text: `
      insert into partner_account_blocks (org_id, key, partner_id, external_id)
      select $1, key, partner_id, external_id
      from jsonb_to_recordset($2) as r (key text, partner_id text, external_id text)`,
    values: [orgId, JSON.stringify(keys)],
  });
}
