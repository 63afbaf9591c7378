import { newId, type OrganizationId, type SignalId } from '../contract/ids.ts';
import type { Tx } from '../store/connection.ts';
import { insertEvents } from '../store/events.ts';
import { findSignalItems } from '../store/signals.ts';

/** One event a signal, with the signal as it is now, in the transaction of its cause. */
export async function emitSignalEvents(
  tx: Tx,
  orgId: OrganizationId,
  kind: 'signal.created' | 'signal.updated',
  ids: SignalId[],
  options: { deliver: boolean; now: Date },
): Promise<void> {
  if (ids.length === 0) return;
  const signals = await findSignalItems(tx, orgId, ids);
  const events = signals.map((signal) => ({ id: newId('evt'), kind, data: signal }));
  await insertEvents(tx, orgId, events, options.deliver, options.now);
}
