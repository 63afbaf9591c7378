import { type Dispute, DisputeSchema } from '../../contract/attribution.ts';
import type { AttributionId, DisputeId } from '../../contract/ids.ts';
import type { DisputeStatus } from '../../vocabulary.ts';
import { fieldsOf } from '../db/columns.ts';
import { firstOf, oneOf, rowsOf } from '../db/statement.ts';
import type { Tx } from '../db/tx.ts';
import type { ChangedBy } from '../signals/signal-changes.ts';

const columns = fieldsOf(DisputeSchema);

/** Oldest first. */
export const listDisputes = rowsOf<Dispute, [recordId: AttributionId]>({
  name: 'list_disputes',
  text: `select ${columns} from disputes where org_id = $1 and record_id = $2 order by opened_at, id`,
});

export const lockDispute = firstOf<Dispute, [recordId: AttributionId, id: DisputeId], Tx>({
  name: 'lock_dispute',
  text: `select ${columns} from disputes where org_id = $1 and record_id = $2 and id = $3 for update`,
});

/** `undefined` if one is already open: the unique index allows only one. */
export const insertDispute = firstOf<
  Dispute,
  [
    dispute: Pick<
      Dispute,
      'id' | 'record_id' | 'claimed_tier' | 'tier_at_opening' | 'justification' | 'opened_by'
    >,
    now: Date,
  ],
  Tx
>({
  name: 'insert_dispute',
  writes: ['disputes'],
  text: `
    insert into disputes (org_id, id, record_id, status, claimed_tier, tier_at_opening, justification, opened_by, opened_at)
    values ($1, $2, $3, 'open', $4, $5, $6, $7, $8)
    on conflict (org_id, record_id) where status = 'open' do nothing
    returning ${columns}`,
  values: (dispute, now) => [
    dispute.id,
    dispute.record_id,
    dispute.claimed_tier,
    dispute.tier_at_opening,
    dispute.justification,
    dispute.opened_by,
    now,
  ],
});

export const closeDispute = oneOf<
  Dispute,
  [id: DisputeId, resolution: { status: DisputeStatus; note: string | null; by: ChangedBy }, now: Date],
  Tx
>({
  name: 'close_dispute',
  writes: ['disputes'],
  text: `
    update disputes set status = $3, resolution_note = $4, resolved_by = $5, resolved_at = $6
    where org_id = $1 and id = $2
    returning ${columns}`,
  values: (id, { status, note, by }, now) => [id, status, note, by, now],
});
