import { type AttributionId, newId, type OrganizationId, type SignalId } from '../contract/ids.ts';
import { findAttributionItems, touchRecords } from '../store/credit/attribution.ts';
import type { Tx } from '../store/db/tx.ts';
import { addDeliveries } from '../store/delivery/deliveries.ts';
import { insertEvents } from '../store/delivery/events.ts';
import { lockSubscribers } from '../store/delivery/webhooks.ts';
import { findSignalItems } from '../store/signals/signal-items.ts';
import type { EventKind } from '../vocabulary.ts';

/** One event a signal, with the signal as it is now, in the transaction of its cause. */
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
  // Its evidence or a dispute may be all that changed; the record shows when all the same.
  if (kind === 'attribution.updated') await touchRecords(tx, orgId, ids, now);
  await emitEvents(tx, orgId, kind, await findAttributionItems(tx, orgId, ids), deliver);
}

/**
 * An event for each of these resources as they are now, and one delivery for each enabled webhook that subscribes to its
 * kind: all stand or fall with their cause.
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
