import { randomUUID } from 'node:crypto';
import type { AccountId, OrganizationId, PartnerId } from '../../contract/ids.ts';
import { cellOf } from '../db/statement.ts';
import { all, type Tx } from '../db/tx.ts';
import { addDueWork } from '../delivery/due-organizations.ts';

type PartnerAccountRef = { partner_id: PartnerId; external_id: string };

/** The most records per row, so that a batch writes only a few rows. */
const rowRecords = 100;
/** Rows per step. On the longest lists, a step takes half a second, and other due work waits for it. */
const stepRows = 5;
/** Does not disturb a load in progress. */
const afterLoadMs = 5_000;

/** Recomputes the suggestions of these records in the background. */
export async function queueSuggestions(
  tx: Tx,
  orgId: OrganizationId,
  accountIds: AccountId[],
  partnerAccounts: PartnerAccountRef[],
  now: Date,
): Promise<void> {
  if (accountIds.length + partnerAccounts.length === 0) return;
  const companies = new Map(partnerAccounts.map((ref) => [`${ref.partner_id} ${ref.external_id}`, ref]));
  const rows = [
    ...chunks([...new Set(accountIds)]).map((ids) => ({ ids, partner_ids: null, size: ids.length })),
    ...chunks([...companies.values()]).map((accounts) => ({
      ids: accounts.map((account) => account.external_id),
      partner_ids: accounts.map((account) => account.partner_id),
      size: accounts.length,
    })),
  ];
  const dueAt = new Date(now.getTime() + afterLoadMs);
  await tx.query({
    name: 'queue_suggestions',
    writes: ['suggestion_queue'],
    text: `
      insert into suggestion_queue (org_id, id, ids, partner_ids, size, due_at)
      select $1, id, ids, partner_ids, size, $3::timestamptz
      from jsonb_to_recordset($2) as r (id uuid, ids text[], partner_ids text[], size int)`,
    values: [orgId, JSON.stringify(rows.map((row) => ({ id: randomUUID(), ...row }))), dueAt],
  });
  addDueWork(tx, orgId, dueAt);
}

/** One step at a time: two concurrent steps could each miss a pair of records between them. */
export const tryLockSuggestions = cellOf<boolean, [], Tx>({
  name: 'try_lock_suggestions',
  text: `select pg_try_advisory_xact_lock(hashtextextended('suggestions ' || $1, 0)) as locked`,
});

export type QueuedSuggestions = { accountIds: AccountId[]; partnerAccounts: PartnerAccountRef[] };

/** The records that have waited longest, without duplicates. */
export async function takeQueuedSuggestions(tx: Tx, orgId: OrganizationId): Promise<QueuedSuggestions> {
  const rows = await all<{ ids: string[]; partner_ids: PartnerId[] | null }>(tx, {
    name: 'take_queued_suggestions',
    writes: ['suggestion_queue'],
    text: `
      delete from suggestion_queue where org_id = $1 and id = any(array(
        select id from suggestion_queue where org_id = $1 order by due_at limit ${stepRows}
        for update skip locked))
      returning ids, partner_ids`,
    values: [orgId],
  });
  const accountIds = new Set<AccountId>();
  const partnerAccounts = new Map<string, PartnerAccountRef>();
  for (const { ids, partner_ids } of rows)
    for (const [i, id] of ids.entries()) {
      const partner_id = partner_ids?.[i];
      if (partner_id) partnerAccounts.set(`${partner_id} ${id}`, { partner_id, external_id: id });
      else accountIds.add(id as AccountId);
    }
  return { accountIds: [...accountIds], partnerAccounts: [...partnerAccounts.values()] };
}

function chunks<T>(items: T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / rowRecords) }, (_, i) =>
    items.slice(i * rowRecords, (i + 1) * rowRecords),
  );
}
