import { randomUUID } from 'node:crypto';
import type { AccountId, OrganizationId, PartnerId } from '../contract/ids.ts';
import { addTurn } from './turns.ts';
import { first, type Tx } from './tx.ts';

type PartnerAccountRef = { partner_id: PartnerId; external_id: string };

/** So many records are looked at in one step; they lie in one row, so that a batch writes only a few. */
const stepRecords = 100;
/** A load in progress is not disturbed. */
const afterLoadMs = 5_000;

/** The suggestions of these records are made again in the background. */
export async function queueSuggestions(
  tx: Tx,
  orgId: OrganizationId,
  accountIds: AccountId[],
  partnerAccounts: PartnerAccountRef[],
  now: Date,
): Promise<void> {
  if (accountIds.length + partnerAccounts.length === 0) return;
  const rows = [
    ...chunks(accountIds).map((ids) => ({ ids, partner_ids: null, size: ids.length })),
    ...chunks(partnerAccounts).map((accounts) => ({
      ids: accounts.map((account) => account.external_id),
      partner_ids: accounts.map((account) => account.partner_id),
      size: accounts.length,
    })),
  ];
  const dueAt = new Date(now.getTime() + afterLoadMs);
  await tx.query({
    name: 'queue_suggestions',
    text: `
      insert into suggestion_queue (org_id, id, ids, partner_ids, size, due_at)
      select $1, id, ids, partner_ids, size, $3::timestamptz
      from jsonb_to_recordset($2) as r (id uuid, ids text[], partner_ids text[], size int)`,
    values: [orgId, JSON.stringify(rows.map((row) => ({ id: randomUUID(), ...row }))), dueAt],
  });
  addTurn(tx, orgId, '', dueAt);
}

/** One step at a time, so that two rows that are looked at together are never missed by both. */
export async function tryLockSuggestions(tx: Tx, orgId: OrganizationId): Promise<boolean> {
  const row = await first<{ locked: boolean }>(tx, {
    name: 'try_lock_suggestions',
    text: `select pg_try_advisory_xact_lock(hashtextextended('suggestions ' || $1, 0)) as locked`,
    values: [orgId],
  });
  return row?.locked === true;
}

/** The records that have waited longest: accounts where there are no partners. */
export async function takeQueuedSuggestions(
  tx: Tx,
  orgId: OrganizationId,
): Promise<{ ids: string[]; partner_ids: PartnerId[] | null } | undefined> {
  return first<{ ids: string[]; partner_ids: PartnerId[] | null }>(tx, {
    name: 'take_queued_suggestions',
    text: `
      delete from suggestion_queue where org_id = $1 and id in (
        select id from suggestion_queue where org_id = $1 order by due_at, id limit 1 for update skip locked)
      returning ids, partner_ids`,
    values: [orgId],
  });
}

function chunks<T>(items: T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / stepRecords) }, (_, i) =>
    items.slice(i * stepRecords, (i + 1) * stepRecords),
  );
}
