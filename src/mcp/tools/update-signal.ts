import { isDeepStrictEqual } from 'node:util';
import { Type } from 'typebox';
import { strictObject } from '../../contract/envelope.ts';
import { notFound } from '../../contract/error.ts';
import { isId } from '../../contract/ids.ts';
import type { Person } from '../../contract/person.ts';
import { type ChangeSignal, ChangeSignalSchema } from '../../contract/signal.ts';
import { reference } from '../../contract/values/field.ts';
import { changeSignal, lockFactsToRestore } from '../../domain/signals.ts';
import type { ChangedBy } from '../../store/signals/signal-changes.ts';
import { findSignal, type SignalHead } from '../../store/signals/signal-items.ts';
import { lockSignal } from '../../store/signals/signals.ts';
import { dismissReasonWords, signalStateWords, signalTypeWords } from '../../vocabulary.ts';
import { resolveSignal } from '../find.ts';
import { tool } from '../tool.ts';
import { quoted } from '../untrusted.ts';
import { ExplainedSignal, explained } from './explain-signal.ts';

type Field = keyof ChangeSignal;
/**
 * For each field of a call: whether the signal already has the value, and how the preview describes the change. A new field
 * of ChangeSignalSchema does not compile without an entry here.
 */
const fields: {
  [Name in Field]-?: {
    isDone: (head: SignalHead, wanted: Exclude<ChangeSignal[Name], undefined>, by: ChangedBy) => boolean;
    line: (head: SignalHead, wanted: Exclude<ChangeSignal[Name], undefined>) => string;
  };
} = {
  state: {
    isDone: ({ state }, wanted) => state === wanted,
    line: ({ state }, wanted) => changeLine('State', signalStateWords[state], signalStateWords[wanted]),
  },
  dismiss_reason: {
    isDone: ({ dismiss_reason }, wanted) => dismiss_reason === wanted,
    line: (_head, wanted) => `Reason: ${dismissReasonWords[wanted]}.`,
  },
  assignee: {
    isDone: ({ assignee }, wanted) => isDeepStrictEqual(assignee, wanted),
    line: ({ assignee }, wanted) => changeLine('Assignee', personText(assignee), personText(wanted)),
  },
  note: {
    isDone: ({ history }, wanted, { key_id, actor }) => {
      const last = history.at(-1);
      return last?.note === wanted && last.changed_by.key_id === key_id && last.changed_by.actor === actor;
    },
    line: (_head, wanted) => `Note: ${quoted(wanted)}.`,
  },
};

export const updateSignalTool = tool({
  name: 'update_signal',
  title: 'Update a signal',
  description:
    'Sets the state of a signal, assigns it, or adds a note to its history; you can combine these. explain_signal lists the states that you can set. Repeating the same call changes nothing.',
  scope: 'write',
  // Setting a signal to `handled` is final.
  destructive: true,
  input: strictObject(
    { signal_id: reference('signal', 'The signal.'), ...ChangeSignalSchema.properties },
    { minProperties: 2 },
  ),
  output: Type.Pick(ExplainedSignal, [
    'id',
    'state',
    'dismiss_reason',
    'assignee',
    'updated_at',
    'history',
    'can_set',
    'link',
  ]),
  preview: async (ask, { signal_id, ...change }) => {
    const { head } = await resolveSignal(ask, signal_id);
    const { type, partner, account } = head;
    return [
      `Change the ${signalTypeWords[type]} signal of ${quoted(partner.name)} on ${quoted(account.name)}?`,
      ...given(change).map((name) => fields[name].line(head, change[name] as never)),
    ].join('\n');
  },
  run: async (ask, { signal_id: id, ...change }) => {
    if (!isId('sig', id)) throw notFound('signal', id);
    const signal = await ask.write(async (tx) => {
      await lockFactsToRestore(tx, ask.orgId, [{ id, ...change }]);
      await lockSignal(tx, ask.orgId, id);
      const before = await findSignal(tx, ask.orgId, id);
      const { note: _repeated, ...rest } = change;
      const wanted = before && isDone(before.head, change, ask.by) ? rest : change;
      return changeSignal(tx, ask.orgId, id, wanted, ask.by, () => {});
    });
    return explained(ask, signal, 0);
  },
});

function given(change: ChangeSignal): Field[] {
  return (Object.keys(fields) as Field[]).filter((name) => change[name] !== undefined);
}

/** Whether the call repeats the last change, by the same key and assistant. Its note is then in the history already. */
function isDone(head: SignalHead, change: ChangeSignal, by: ChangedBy): boolean {
  return given(change).every((name) => fields[name].isDone(head, change[name] as never, by));
}

function changeLine(name: string, from: string, to: string): string {
  return from === to ? `${name}: stays ${from}.` : `${name}: ${from} → ${to}.`;
}

function personText(person: Person | null): string {
  return person === null
    ? 'nobody'
    : quoted(person.email === null ? person.name : `${person.name} <${person.email}>`);
}
