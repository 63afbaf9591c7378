import type { Dispute, OpenDispute, ResolveDispute } from '../contract/attribution.ts';
import { ApiError, invalidField, notFound } from '../contract/error.ts';
import { type AttributionId, type DisputeId, newId, type OrganizationId } from '../contract/ids.ts';
import type { SettingsVersion } from '../contract/settings.ts';
import { findRecord, findRecordsOf, type RecordRow, upsertRecords } from '../store/credit/attribution.ts';
import { closeDispute, insertDispute, lockDispute } from '../store/credit/disputes.ts';
import { upsertEvidence } from '../store/credit/evidence.ts';
import type { FactsTx } from '../store/db/tx.ts';
import { findSettings } from '../store/keys/settings.ts';
import type { ChangedBy } from '../store/signals/signal-changes.ts';
import { tierWords } from '../vocabulary.ts';
import { creditOpportunities } from './attribution.ts';
import { emitAttributionEvents } from './events.ts';

export async function openDispute(
  tx: FactsTx,
  orgId: OrganizationId,
  recordId: AttributionId,
  { claimed_tier, justification }: OpenDispute,
  by: ChangedBy,
): Promise<Dispute> {
  const record = await requireRecord(tx, orgId, recordId);
  if (record.tier === claimed_tier) {
    const message = `must differ from the current tier, ${record.tier}`;
    throw invalidField('claimed_tier', 'invalid_value', message);
  }
  const now = new Date();
  const opened = { id: newId('dsp'), record_id: recordId, tier_at_opening: record.tier, opened_by: by };
  const dispute = await insertDispute(tx, orgId, { ...opened, claimed_tier, justification }, now);
  if (!dispute)
    throw new ApiError(
      'dispute_already_open',
      'This record already has an open dispute. Decide or withdraw it first.',
    );
  await emitAttributionEvents(tx, orgId, 'attribution.updated', [recordId], { deliver: true, now });
  return dispute;
}

export async function resolveDispute(
  tx: FactsTx,
  orgId: OrganizationId,
  recordId: AttributionId,
  disputeId: DisputeId,
  { status, note }: ResolveDispute,
  by: ChangedBy,
): Promise<Dispute> {
  const record = await requireRecord(tx, orgId, recordId);
  const dispute = await lockDispute(tx, orgId, recordId, disputeId);
  if (!dispute) throw notFound('dispute', disputeId);
  if (dispute.status !== 'open')
    throw new ApiError('dispute_closed', `This dispute is already ${dispute.status}.`);
  if (status !== 'withdrawn' && dispute.opened_by.key_id === by.key_id) {
    const { settings } = (await findSettings(tx, orgId)) as SettingsVersion;
    // Compares keys and not X-Actor, which anyone can set.
    if (settings.disputes.self_decision === 'never')
      throw new ApiError(
        'forbidden',
        `A key cannot accept or reject a dispute that it opened. Use another key with the scope "admin".`,
      );
  }
  const now = new Date();
  const closed = await closeDispute(tx, orgId, disputeId, { status, note: note ?? null, by }, now);
  if (status === 'accepted') await pinTier(tx, orgId, record, closed, now);
  else await emitAttributionEvents(tx, orgId, 'attribution.updated', [recordId], { deliver: true, now });
  return closed;
}

/**
 * The claimed tier applies from now on, whatever facts arrive. Another partner that sourced the deal gets its next lower
 * tier.
 */
async function pinTier(
  tx: FactsTx,
  orgId: OrganizationId,
  record: RecordRow,
  dispute: Dispute,
  now: Date,
): Promise<void> {
  if (dispute.claimed_tier === 'sourced') {
    const others = (await findRecordsOf(tx, orgId, [record.opportunity_id])).filter(
      (other) => other.id !== record.id,
    );
    // Even if the deal is not won at present: if it is won again, the pinned tier applies again.
    if (others.some((other) => other.tier === 'sourced' && other.pinned)) {
      throw new ApiError(
        'sourced_taken',
        'Another partner has the tier "sourced" for this deal through an accepted dispute. Open a dispute on that record first.',
      );
    }
  }
  await upsertRecords(tx, orgId, [{ ...record, tier: dispute.claimed_tier, pinned: true }], now);
  await upsertEvidence(tx, orgId, [
    {
      id: newId('evd'),
      record_id: record.id,
      subject: dispute.id,
      kind: 'dispute',
      tier_supported: dispute.claimed_tier,
      occurred_at: dispute.opened_at,
      recorded_at: now,
      summary: `Dispute accepted: ${tierWords[dispute.tier_at_opening]} became ${tierWords[dispute.claimed_tier]}.`,
      activity_id: null,
      signal_id: null,
      counted: true,
      reason: 'A dispute was accepted. Data that arrives later does not change the tier.',
    },
  ]);
  await creditOpportunities(tx, orgId, [record.opportunity_id], {
    now,
    deliver: true,
    alsoChanged: [record.id],
  });
}

/** With the facts lock, so that nothing else recalculates the record meanwhile. */
async function requireRecord(tx: FactsTx, orgId: OrganizationId, id: AttributionId): Promise<RecordRow> {
  const record = await findRecord(tx, orgId, id);
  if (!record) throw notFound('attribution record', id);
  return record;
}
