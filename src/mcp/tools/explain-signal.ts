import { Type } from 'typebox';
import { strictObject } from '../../contract/envelope.ts';
import { ActivitySchema, type SignalDetail, SignalDetailSchema } from '../../contract/signal.ts';
import { reference } from '../../contract/values/field.ts';
import type { SignalInFull } from '../../store/signals/signal-items.ts';
import { signalStates, signalTransitions } from '../../vocabulary.ts';
import { resolveSignal } from '../find.ts';
import { Link, limit, More, Opportunity } from '../shapes.ts';
import { type Ask, tool } from '../tool.ts';

const { activity_log: _log, history, ...head } = SignalDetailSchema.properties;
/** The most activity IDs listed for one reason. */
const idsShown = 5;
const changesShown = 5;

/** update_signal returns a part of this. */
export const ExplainedSignal = Type.Object({
  ...head,
  opportunity: Opportunity,
  activities: Type.Array(ActivitySchema, {
    description: 'Activities that counted first, then the newest others.',
  }),
  more_activities: More,
  history: Type.Array(history.items, {
    description: `Latest ${changesShown} changes and notes, oldest first.`,
  }),
  can_set: Type.Array(Type.Enum(signalStates, { type: 'string' }), {
    description: 'States that update_signal can set.',
  }),
  link: Link,
});

export const explainSignalTool = tool({
  name: 'explain_signal',
  title: 'Explain a signal',
  description:
    'Shows why a signal fired: the rule and its numbers, the activities that counted, what happened since, and what to do next.',
  scope: 'read',
  input: strictObject({
    signal_id: reference('signal', 'The signal.'),
    limit: limit(5, 50),
  }),
  output: ExplainedSignal,
  run: async (ask, { signal_id, limit }) => explained(ask, await resolveSignal(ask, signal_id), limit),
});

export function explained({ link }: Ask, { head, log }: SignalInFull, limit: number) {
  const counted = new Set(head.reasons.flatMap((reason) => reason.activity_ids));
  const activities = [
    ...log.filter(({ id }) => counted.has(id)),
    ...log.filter(({ id }) => !counted.has(id)),
  ];
  return {
    ...head,
    reasons: head.reasons.map((reason) => ({
      ...reason,
      activity_ids: reason.activity_ids.slice(0, idsShown),
    })),
    history: head.history.slice(-changesShown) as SignalDetail['history'],
    activities: activities.slice(0, limit),
    more_activities: activities.length > limit,
    can_set: signalTransitions[head.state].map(({ to }) => to),
    link: link(`signals/${head.id}`),
  };
}
