import type { KeyId, SignalId } from '../../contract/ids.ts';
import type { Person } from '../../contract/person.ts';
import type { SignalDetail } from '../../contract/signal.ts';
import type { SignalState } from '../../vocabulary.ts';
import { run } from '../db/statement.ts';

export type ChangedBy = { key_id: KeyId; key_name: string; actor: string | null };

export type SignalChange = {
  signal_id: SignalId;
  from_state: SignalState;
  to_state: SignalState;
  note: string | null;
  /** Absent if the assignee does not change. */
  assignee?: Person | null;
};

/** Each signal at most once per call, because the number of a change follows from the existing ones. */
export const insertSignalChanges = run<[changes: SignalChange[], by: ChangedBy | null, now: Date]>({
  name: 'insert_signal_changes',
  writes: ['signal_changes'],
  text: `
    insert into signal_changes (org_id, signal_id, number, from_state, to_state, note, assignee, key_id, key_name, actor, changed_at)
    select $1, r.signal_id,
      1 + coalesce((select max(number) from signal_changes c where c.org_id = $1 and c.signal_id = r.signal_id), 0),
      r.from_state, r.to_state, r.note, r.assignee::jsonb, $3, $4, $5, $6
    from jsonb_to_recordset($2) as r (signal_id text, from_state text, to_state text, note text, assignee text)`,
  values: (changes, by, now) => [
    JSON.stringify(changes.map(asText)),
    by?.key_id,
    by?.key_name,
    by?.actor,
    now,
  ],
});

/** As text, because SQL cannot distinguish a JSON null from an absent value. */
function asText({ assignee, ...change }: SignalChange) {
  return { ...change, assignee: assignee === undefined ? null : JSON.stringify(assignee) };
}

export type HistoryEntry = SignalDetail['history'][number];

/** As text, because SQL cannot distinguish an assignee of null from an absent one. */
const entry: Record<keyof HistoryEntry, string> = {
  from: 'c.from_state',
  to: 'c.to_state',
  note: 'c.note',
  assignee: 'c.assignee::text',
  changed_by: object({ key_id: 'c.key_id', key_name: 'c.key_name', actor: 'c.actor' } satisfies Record<
    keyof HistoryEntry['changed_by'],
    string
  >),
  changed_at: 'c.changed_at',
};

/** The history of a row `s` of signals, as JSON. */
export const historyColumn = `(
  select json_agg(${object(entry)} order by c.number)
  from signal_changes c where c.org_id = $1 and c.signal_id = s.id) as history`;

function object(fields: Record<string, string>): string {
  const members = Object.entries(fields).map(([name, value]) => `'${name}', ${value}`);
  return `json_build_object(${members.join(', ')})`;
}

export type ChangeInJson = Omit<HistoryEntry, 'assignee' | 'changed_at'> & {
  assignee: string | null;
  changed_at: string;
};

export function toHistoryEntry({ assignee, changed_at, ...entry }: ChangeInJson): HistoryEntry {
  return {
    ...entry,
    changed_at: new Date(changed_at),
    ...(assignee !== null && { assignee: JSON.parse(assignee) }),
  };
}
