import type { Logger } from 'pino';
import type { DeliveryId, OrganizationId } from '../contract/ids.ts';
import type { Db } from '../store/db/db.ts';
import { giveUpPending } from '../store/delivery/deliveries.ts';
import {
  disableFailing,
  noteFailures,
  noteSuccesses,
  type Settlement,
  settleDeliveries,
} from '../store/delivery/outbox.ts';

/** Writes the results of attempts, and what they mean for their webhooks. Returns the times of the next attempts. */
export async function settle(
  db: Db,
  log: Logger,
  orgId: OrganizationId,
  settlements: Settlement[],
): Promise<Map<DeliveryId, Date | null>> {
  const written = new Map(
    (await settleDeliveries(db.upkeep(orgId), orgId, settlements)).map((one) => [one.id, one]),
  );
  const webhooksOf = (isOne: (settlement: Settlement) => unknown) => [
    ...new Set(settlements.flatMap((one) => (written.has(one.id) && isOne(one) ? [one.webhook_id] : []))),
  ];
  const recovered = webhooksOf(({ id, status }) => status === 'delivered' && written.get(id)?.is_failing);
  const failed = webhooksOf(({ status }) => status !== 'delivered');
  if (recovered.length > 0 || failed.length > 0)
    await db.upkeep(orgId, async (tx) => {
      if (recovered.length > 0) await noteSuccesses(tx, orgId, recovered);
      if (failed.length === 0) return;
      await noteFailures(tx, orgId, failed);
      const gone = webhooksOf((settlement) => settlement.gone);
      for (const { webhook_id, disabled_reason } of await disableFailing(tx, orgId, failed, gone)) {
        log.warn({ org_id: orgId, webhook_id, reason: disabled_reason }, 'a webhook was disabled');
        await giveUpPending(tx, orgId, webhook_id, `the webhook was disabled: ${disabled_reason}`);
      }
    });
  return new Map([...written.values()].map(({ id, next_attempt_at }) => [id, next_attempt_at]));
}
