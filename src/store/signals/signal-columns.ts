import type { AccountId, ActivityId, OpportunityId, PartnerId, SignalId } from '../../contract/ids.ts';
import type { PriorityParts } from '../../contract/signal.ts';
import type { EndReason, SignalState, SignalType } from '../../vocabulary.ts';
import { columns, jsonb, type Row, smallint, text, timestamptz } from '../db/columns.ts';

const whose = {
  id: text<SignalId>(),
  type: text<SignalType>(),
  partner_id: text<PartnerId>(),
  account_id: text<AccountId>(),
};
/** What the rules decide. */
const content = {
  opportunity_id: text<OpportunityId>(),
  expires_at: timestamptz(),
  evidence_at: timestamptz(),
  rank: smallint<0 | 1 | 2 | 3>(),
  priority: smallint(),
  priority_parts: jsonb<PriorityParts | null>(),
  recommended_action: text(),
  urgency: text<string | null>(),
  reasons: jsonb<{ activity_ids: ActivityId[] }[]>(),
};
const course = {
  fired_at: timestamptz(),
  state: text<SignalState>(),
  ended_at: timestamptz<Date | null>(),
  end_reason: text<EndReason | null>(),
};

/** A signal as it fires. */
export const inserted = columns({ ...whose, ...content });
export type NewSignal = Row<typeof inserted>;

/** A signal as the rules see it. */
export const evaluated = columns({ ...whose, ...content, ...course });
export type PairSignal = Row<typeof evaluated>;

/** What can change when the rules have seen it, and the columns that identify the signal and what it shows. */
const { type, partner_id, ...changeable } = evaluated.declared;
export const updated = columns(changeable);
/** With the state that it had until now. */
export type SignalUpdate = Row<typeof updated> & { from_state: SignalState };
