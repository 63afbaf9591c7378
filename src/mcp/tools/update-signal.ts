import { Type } from 'typebox';
import { strictObject } from '../../contract/envelope.ts';
import { invalidField, notFound } from '../../contract/error.ts';
import { reference } from '../../contract/field.ts';
import { isId } from '../../contract/ids.ts';
import { ChangeSignalSchema } from '../../contract/signal.ts';
import { changeSignal } from '../../domain/signals.ts';
import { findSignal, type SignalHead } from '../../store/signal-items.ts';
import { lockSignal } from '../../store/signals.ts';
import { signalStateWords, signalTypeWords } from '../../vocabulary.ts';
import { signalOf } from '../find.ts';
import { type Ask, tool } from '../tool.ts';
import { quoted } from '../untrusted.ts';
import { ExplainedSignal, explained } from './explain-signal.ts';

type Change = { signal_id: string; state?: SignalHead['state']; note?: string };

export const updateSignal = tool({
  name: 'update_signal',
  title: 'Update a signal',
  description:
    'Sets the state of a signal, adds a note to its history, or both. explain_signal lists the states that you can set. Repeating the same call changes nothing.',
  scope: 'write',
  // An expired signal is final.
  destructive: true,
  input: strictObject({ signal_id: reference('signal', 'The signal.'), ...ChangeSignalSchema.properties }),
  output: Type.Pick(ExplainedSignal, ['id', 'state', 'updated_at', 'history', 'can_set', 'link']),
  preview: async (ask, change) => {
    requireChange(change);
    const { type, state, partner, account } = (await signalOf(ask, change.signal_id)).head;
    const to = change.state ?? state;
    const message = [
      `Change the ${signalTypeWords[type]} signal of ${quoted(partner.name)} on ${quoted(account.name)}?`,
      to === state
        ? `State: stays ${signalStateWords[state]}.`
        : `State: ${signalStateWords[state]} → ${signalStateWords[to]}.`,
      ...(change.note === undefined ? [] : [`Note: ${quoted(change.note)}.`]),
    ];
    return { message: message.join('\n'), state };
  },
  run: async (ask, change) => {
    requireChange(change);
    const { signal_id: id, ...wanted } = change;
    if (!isId('sig', id)) throw notFound('signal');
    const signal = await ask.write(async (tx) => {
      await lockSignal(tx, ask.orgId, id);
      const before = await findSignal(tx, ask.orgId, id);
      if (before && isDone(ask, before.head, change)) return before;
      return changeSignal(tx, ask.orgId, id, wanted, ask.by, () => {});
    });
    return explained(ask, signal, 0);
  },
});

function requireChange({ state, note }: Change): void {
  if (state === undefined && note === undefined)
    throw invalidField('state', 'required', 'give a state, a note or both');
}

/** Whether the last change of the signal is this one, by the same key and assistant. */
function isDone({ by }: Ask, { state, history }: SignalHead, change: Change): boolean {
  const last = history.at(-1);
  return (
    last !== undefined &&
    (change.state ?? state) === state &&
    last.note === (change.note ?? null) &&
    last.changed_by.key_id === by.key_id &&
    last.changed_by.actor === by.actor
  );
}
