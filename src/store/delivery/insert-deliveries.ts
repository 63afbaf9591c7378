import { run } from '../db/statement.ts';
import type { NewDelivery, UpkeepTx } from '../db/tx.ts';

/**
 * Times are from the database's clock, because process clocks may differ. It is the time of the statement, not of the
 * transaction, which may have begun long ago: a worker reads back only a few seconds.
 */
export const insertDeliveries = run<[deliveries: NewDelivery[]], UpkeepTx>({
  name: 'insert_deliveries',
  writes: ['deliveries'],
  text: `
    insert into deliveries (org_id, id, webhook_id, event_id, status, next_attempt_at, created_at)
    select $1, id, webhook_id, event_id, 'pending', statement_timestamp(), now()
    from json_to_recordset($2) as r (id text, webhook_id text, event_id text)
    on conflict (org_id, event_id, webhook_id) where event_id is not null do nothing`,
  values: (deliveries) => [JSON.stringify(deliveries)],
});
