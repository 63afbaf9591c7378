import { isDeepStrictEqual } from 'node:util';
import { ApiError, notFound } from '../contract/error.ts';
import type { OrganizationId, SignalId } from '../contract/ids.ts';
import type { Activity, ChangeSignal } from '../contract/signal.ts';
import { allowedTargets, transition } from '../rules/transitions.ts';
import { listSignalActivities } from '../store/activities.ts';
import { sqlState } from '../store/connection.ts';
import {
  type ChangedBy,
  type HistoryEntry,
  insertSignalChanges,
  listSignalChanges,
} from '../store/signal-changes.ts';
import { findSignal, lockSignal, type SignalRow, setAssignee, setSignalState } from '../store/signals.ts';
import type { Tx } from '../store/tx.ts';
import type { SignalState } from '../vocabulary.ts';
import { emitSignalEvents } from './events.ts';
import { repriceSignals } from './priority.ts';

/** A signal without its log, for which a version stands. */
export type SignalHead = SignalRow & { history: HistoryEntry[] };
/** The log is the first page of it, and most often all. */
export type SignalInFull = { head: SignalHead; log: Activity[] };

export async function readSignal(
  tx: Tx,
  orgId: OrganizationId,
  id: SignalId,
): Promise<SignalInFull | undefined> {
  // The version of the log comes first: what changes between the two makes it that of an older log, never of a newer.
  const head = await readHead(tx, orgId, id);
  return head && { head, log: await listSignalActivities(tx, orgId, id) };
}

async function readHead(tx: Tx, orgId: OrganizationId, id: SignalId): Promise<SignalHead | undefined> {
  const signal = await findSignal(tx, orgId, id);
  return signal && { ...signal, history: await listSignalChanges(tx, orgId, id) };
}

/** `check` sees the signal as it is under the lock, and throws where the caller expected another. */
export async function changeSignal(
  tx: Tx,
  orgId: OrganizationId,
  id: SignalId,
  change: ChangeSignal,
  by: ChangedBy,
  check: (head: SignalHead) => void,
): Promise<SignalInFull> {
  const from = await lockSignal(tx, orgId, id);
  const before = from && (await readHead(tx, orgId, id));
  if (!from || !before) throw notFound('signal');
  check(before);
  const to = change.state ?? from;
  const result = transition(from, to);
  if (result === 'refused') throw refusal(from, to);
  const isReassigned = change.assignee !== undefined && !isDeepStrictEqual(change.assignee, before.assignee);
  if (result === 'unchanged' && change.note === undefined && !isReassigned) {
    return { head: before, log: await listSignalActivities(tx, orgId, id) };
  }

  const now = new Date();
  if (result === 'changed') await setState(tx, orgId, id, from, to, now);
  // It was priced when it ended.
  if (result === 'changed' && from === 'handled') await repriceSignals(tx, orgId, [id], now);
  if (isReassigned) await setAssignee(tx, orgId, id, change.assignee ?? null, now);
  const entry = { signal_id: id, from_state: from, to_state: to, note: change.note ?? null };
  const assigned = isReassigned ? { assignee: change.assignee ?? null } : {};
  await insertSignalChanges(tx, orgId, [{ ...entry, ...assigned }], by, now);
  if (result === 'changed' || isReassigned) await emitSignalEvents(tx, orgId, 'signal.updated', [id], true);
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
    await setSignalState(tx, orgId, id, { from, to, ended_at: ended ? now : null, ended_by }, now);
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    throw new ApiError(
      'invalid_transition',
      `This signal cannot go from ${from} to ${to}: another signal of the same type is now active on the same deal.`,
    );
  }
}

function refusal(from: SignalState, to: SignalState): ApiError {
  const allowed = allowedTargets(from);
  const hint = allowed.length > 0 ? `from ${from}, you can set: ${allowed.join(', ')}` : `${from} is final`;
  return new ApiError('invalid_transition', `A signal in state ${from} cannot become ${to}; ${hint}.`, {
    details: [{ field: 'state', code: 'invalid_transition', message: hint }],
  });
}
