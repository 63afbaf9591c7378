import { ApiError, notFound } from '../contract/error.ts';
import type { OrganizationId, SignalId } from '../contract/ids.ts';
import type { ChangeSignal, SignalState } from '../contract/signal.ts';
import { allowedTargets, transition } from '../rules/transitions.ts';
import { type Activity, listPairActivities } from '../store/activities.ts';
import { type Queryable, sqlState, type Tx } from '../store/connection.ts';
import {
  type ChangedBy,
  type HistoryEntry,
  insertSignalChanges,
  listSignalChanges,
} from '../store/signal-changes.ts';
import { findSignal, lockSignal, type SignalRow, setSignalState } from '../store/signals.ts';
import { emitSignalEvents } from './events.ts';

export type SignalInFull = SignalRow & { activity_log: Activity[]; history: HistoryEntry[] };

export async function readSignal(
  db: Queryable,
  orgId: OrganizationId,
  id: SignalId,
): Promise<SignalInFull | undefined> {
  const signal = await findSignal(db, orgId, id);
  if (!signal) return undefined;
  const activity_log = await listPairActivities(db, orgId, signal.account.id, signal.partner.id);
  const history = await listSignalChanges(db, orgId, id);
  return { ...signal, activity_log, history };
}

/** `check` sees the signal as it is under the lock, and throws where the caller expected another. */
export async function changeSignal(
  tx: Tx,
  orgId: OrganizationId,
  id: SignalId,
  change: ChangeSignal,
  by: ChangedBy,
  check: (signal: SignalInFull) => void,
): Promise<SignalInFull> {
  const from = await lockSignal(tx, orgId, id);
  const before = from && (await readSignal(tx, orgId, id));
  if (!from || !before) throw notFound('signal');
  check(before);
  const to = change.state ?? from;
  const result = transition(from, to);
  if (result === 'refused') throw refusal(from, to);
  if (result === 'unchanged' && change.note === undefined) return before;

  const now = new Date();
  if (result === 'changed') await setState(tx, orgId, id, from, to, now);
  await insertSignalChanges(
    tx,
    orgId,
    [{ signal_id: id, from_state: from, to_state: to, note: change.note ?? null }],
    by,
    now,
  );
  if (result === 'changed') await emitSignalEvents(tx, orgId, 'signal.updated', [id], { deliver: true, now });
  return (await readSignal(tx, orgId, id)) as SignalInFull;
}

async function setState(
  tx: Tx,
  orgId: OrganizationId,
  id: SignalId,
  from: SignalState,
  to: SignalState,
  now: Date,
): Promise<void> {
  const ended = to === 'handled' || to === 'expired';
  const ended_by = to === 'handled' ? 'handled' : to === 'expired' ? 'dismissed' : null;
  try {
    await setSignalState(tx, orgId, id, { state: to, ended_at: ended ? now : null, ended_by }, now);
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    throw new ApiError(
      'invalid_transition',
      `This signal cannot go from ${from} to ${to}: another one of the same kind has become active on the same deal.`,
    );
  }
}

function refusal(from: SignalState, to: SignalState): ApiError {
  const allowed = allowedTargets(from);
  const hint =
    allowed.length > 0 ? `allowed from ${from}: ${allowed.join(', ')}` : `nothing leads out of ${from}`;
  return new ApiError('invalid_transition', `A signal that is ${from} cannot become ${to}; ${hint}.`, {
    details: [{ field: 'state', code: 'invalid_transition', message: hint }],
  });
}
