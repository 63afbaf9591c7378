import type { KeyId, OrganizationId, SignalId } from '../contract/ids.ts';
import type { Person } from '../contract/person.ts';
import type { SignalState } from '../vocabulary.ts';
import { all, type Queryable, type Tx } from './tx.ts';

export type ChangedBy = { key_id: KeyId; key_name: string; actor: string | null };

export type SignalChange = {
  signal_id: SignalId;
  from_state: SignalState;
  to_state: SignalState;
  note: string | null;
  /** Left out where the assignee stays. */
  assignee?: Person | null;
};

/** Each signal at most once a call: the number of a change follows from those that are there. */
export async function insertSignalChanges(
  tx: Tx,
  orgId: OrganizationId,
  changes: SignalChange[],
  by: ChangedBy | null,
  now: Date,
): Promise<void> {
  await tx.query({
    name: 'insert_signal_changes',
    text: `
      insert into signal_changes (org_id, signal_id, number, from_state, to_state, note, assignee, key_id, key_name, actor, changed_at)
      select $1, r.signal_id,
        1 + coalesce((select max(number) from signal_changes c where c.org_id = $1 and c.signal_id = r.signal_id), 0),
        r.from_state, r.to_state, r.note, r.assignee::jsonb, $3, $4, $5, $6
      from jsonb_to_recordset($2) as r (signal_id text, from_state text, to_state text, note text, assignee text)`,
    values: [orgId, JSON.stringify(changes.map(asText)), by?.key_id, by?.key_name, by?.actor, now],
  });
}

/** Only as a text can the JSON null be told from nothing. */
function asText({ assignee, ...change }: SignalChange) {
  return { ...change, assignee: assignee === undefined ? null : JSON.stringify(assignee) };
}

export type HistoryEntry = {
  from: SignalState;
  to: SignalState;
  note: string | null;
  assignee?: Person | null;
  changed_by: { key_id: string | null; key_name: string | null; actor: string | null };
  changed_at: Date;
};

export async function listSignalChanges(
  db: Queryable,
  orgId: OrganizationId,
  id: SignalId,
): Promise<HistoryEntry[]> {
  const rows = await all<Omit<HistoryEntry, 'assignee'> & { assignee: string | null }>(db, {
    name: 'list_signal_changes',
    text: `
      select from_state as "from", to_state as "to", note, assignee::text,
        json_build_object('key_id', key_id, 'key_name', key_name, 'actor', actor) as changed_by, changed_at
      from signal_changes where org_id = $1 and signal_id = $2 order by number`,
    values: [orgId, id],
  });
  return rows.map(({ assignee, ...entry }) => ({
    ...entry,
    ...(assignee !== null && { assignee: JSON.parse(assignee) }),
  }));
}
