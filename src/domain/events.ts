import { type AttributionId, newId, type OrganizationId, type SignalId } from '../contract/ids.ts';
import { findAttributionItems, touchRecords } from '../store/credit/attribution.ts';
import type { Tx } from '../store/db/tx.ts';
import { addDeliveries } from '../store/delivery/deliveries.ts';
import { insertEvents } from '../store/delivery/events.ts';
import { lockSubscribers } from '../store/delivery/webhooks.ts';
import { findSignalItems } from '../store/signals/signal-items.ts';
import type { EventKind } from '../vocabulary.ts';

/** One event per signal with its current content, in the same transaction as the cause. */
export async function emitSignalEvents(
  tx: Tx,
  orgId: OrganizationId,
  kind: Extract<EventKind, `signal.${string}`>,
  ids: SignalId[],
  deliver: boolean,
): Promise<void> {
  if (ids.length > 0) await emitEvents(tx, orgId, kind, await findSignalItems(tx, orgId, ids), deliver);
}

export async function emitAttributionEvents(
  tx: Tx,
  orgId: OrganizationId,
  kind: Extract<EventKind, `attribution.${string}`>,
  ids: AttributionId[],
  { deliver, now }: { deliver: boolean; now: Date },
): Promise<void> {
  if (ids.length === 0) return;
  // If only the evidence or a dispute changed, `updated_at` of the record still has to change.
  if (kind === 'attribution.updated') await touchRecords(tx, orgId, ids, now);
  await emitEvents(tx, orgId, kind, await findAttributionItems(tx, orgId, ids), deliver);
}

/**
 * An event for each resource with its current content, and a delivery for each enabled webhook that subscribes to its kind,
 * in the same transaction as the cause.
 */
export async function emitEvents(
  tx: Tx,
  orgId: OrganizationId,
  kind: EventKind,
  resources: unknown[],
  deliver: boolean,
): Promise<void> {
  if (resources.length === 0) return;
  const events = resources.map((data) => ({ id: newId('evt'), kind, data }));
  const [, subscribers] = await Promise.all([
    insertEvents(tx, orgId, events, deliver),
    deliver ? lockSubscribers(tx, orgId, kind) : [],
  ]);
  for (const webhook_id of subscribers) {
    const deliveries = events.map(({ id }) => ({ id: newId('dlv'), webhook_id, event_id: id }));
    addDeliveries(tx, orgId, deliveries);
  }
}
