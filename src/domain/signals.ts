import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import { ApiError, invalidField, notFound } from '../contract/error.ts';
import { isId, type OrganizationId, type SignalId } from '../contract/ids.ts';
import type { SettingsVersion } from '../contract/settings.ts';
import type { ChangeSignal, ChangeSignals, SignalOutcomesSchema } from '../contract/signal.ts';
import { allowedTargets, transition } from '../rules/signals/transitions.ts';
import { sqlState } from '../store/db/failures.ts';
import { requireFacts, savepoint, type Tx } from '../store/db/tx.ts';
import { findSettings } from '../store/keys/settings.ts';
import { type ChangedBy, insertSignalChanges } from '../store/signals/signal-changes.ts';
import {
  findSignal,
  findSignalItems,
  type SignalHead,
  type SignalInFull,
} from '../store/signals/signal-items.ts';
import {
  hasExpired,
  type LockedSignal,
  lockSignal,
  setAssignee,
  setSignalState,
} from '../store/signals/signals.ts';
import { type DismissReason, type EndReason, restoredState, type SignalState } from '../vocabulary.ts';
import { evaluatePairs } from './evaluate-pairs.ts';
import { emitSignalEvents } from './events.ts';
import { suggestReview } from './match-suggestions.ts';
import { rescoreSignal } from './priority.ts';

/** `check` sees the signal under its lock, and throws if it is not the one the caller expects. */
export async function changeSignal(
  tx: Tx,
  orgId: OrganizationId,
  id: SignalId,
  change: ChangeSignal,
  by: ChangedBy,
  check: (head: SignalHead) => void,
  now = new Date(),
): Promise<SignalInFull> {
  await lockFactsToRestore(tx, orgId, [{ id, ...change }]);
  const locked = await lockSignal(tx, orgId, id);
  const before = locked && (await findSignal(tx, orgId, id));
  if (!locked || !before) throw notFound('signal', id);
  check(before.head);
  await apply(tx, orgId, locked, change, by, now);
  return (await findSignal(tx, orgId, id)) as SignalInFull;
}

/**
 * Leaving `expired` evaluates facts. A batch that works on them may have locked these signals, so the facts lock must come
 * before theirs: call this before you lock a signal to change it.
 */
export async function lockFactsToRestore(
  tx: Tx,
  orgId: OrganizationId,
  items: ChangeSignals['items'],
): Promise<void> {
  const ids = items.filter(({ state }) => state === restoredState).map(({ id }) => id);
  if (ids.length > 0 && (await hasExpired(tx, orgId, ids))) requireFacts(tx);
}

type Outcome = Static<typeof SignalOutcomesSchema>['outcomes'][number];

/**
 * Each change succeeds or fails separately. Signals are locked in the order of their IDs, so that two batches cannot
 * deadlock.
 */
export async function changeSignals(
  tx: Tx,
  orgId: OrganizationId,
  items: ChangeSignals['items'],
  by: ChangedBy,
): Promise<Static<typeof SignalOutcomesSchema>> {
  await lockFactsToRestore(tx, orgId, items);
  const now = new Date();
  const errors = new Map<ChangeSignals['items'][number], Outcome['error']>();
  for (const item of items.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))) {
    try {
      await savepoint(tx, async () => {
        const locked = isId('sig', item.id) ? await lockSignal(tx, orgId, item.id) : undefined;
        if (!locked) throw notFound('signal', item.id);
        await apply(tx, orgId, locked, item, by, now);
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      errors.set(item, { code: error.code, message: error.message });
    }
  }
  const ids = items.filter((item) => !errors.has(item)).map(({ id }) => id as SignalId);
  const signals = new Map((await findSignalItems(tx, orgId, [...new Set(ids)])).map((one) => [one.id, one]));
  const outcomes = items.map((item) => {
    const error = errors.get(item) ?? null;
    return { id: item.id, signal: error ? null : (signals.get(item.id as SignalId) ?? null), error };
  });
  return { changed: items.length - errors.size, refused: errors.size, outcomes };
}

async function apply(
  tx: Tx,
  orgId: OrganizationId,
  locked: LockedSignal,
  change: ChangeSignal,
  by: ChangedBy,
  now: Date,
): Promise<void> {
  const { id, state: from, end_reason } = locked;
  const to = change.state ?? from;
  const result = transition(from, to, end_reason);
  if (result === 'refused') throw refusal(from, to, end_reason);
  const dismiss_reason = reasonOf(locked, change, result);
  const isReassigned = change.assignee !== undefined && !isDeepStrictEqual(change.assignee, locked.assignee);
  if (result === 'unchanged' && !isReassigned && change.note === undefined) return;

  const isRestored = result === 'changed' && from === 'expired';
  // It may have expired only now.
  if (isRestored) requireFacts(tx);
  if (result === 'changed') await setState(tx, orgId, locked, to, dismiss_reason, now);
  if (isRestored) await evaluateRestored(tx, orgId, locked, now);
  if (dismiss_reason === 'wrong_match' && result === 'changed') await suggestReview(tx, orgId, locked, now);
  // Its priority dates from when it ended.
  if (result === 'changed' && from === 'handled') await rescoreSignal(tx, orgId, id, now);
  if (isReassigned) await setAssignee(tx, orgId, id, change.assignee ?? null, now);
  const entry = { signal_id: id, from_state: from, to_state: to, note: change.note ?? null };
  const assigned = isReassigned ? { assignee: change.assignee ?? null } : {};
  await insertSignalChanges(tx, orgId, [{ ...entry, ...assigned }], by, now);
  if (result === 'changed' || isReassigned) await emitSignalEvents(tx, orgId, 'signal.updated', [id], true);
}

/** A reason is set with a dismissal and removed when it is undone. */
function reasonOf(
  locked: LockedSignal,
  { state, dismiss_reason: given }: ChangeSignal,
  result: 'changed' | 'unchanged',
): DismissReason | null {
  const dismiss_reason = given ?? null;
  if (dismiss_reason && state !== 'expired')
    throw invalidField('dismiss_reason', 'invalid_value', 'is only allowed with the state expired');
  if (dismiss_reason && result === 'unchanged' && dismiss_reason !== locked.dismiss_reason)
    throw new ApiError('invalid_transition', 'This signal has already expired, so you cannot dismiss it.');
  return dismiss_reason;
}

/** By the current facts: a signal that they no longer support stays dismissed. */
async function evaluateRestored(
  tx: Tx,
  orgId: OrganizationId,
  { id, account_id, partner_id }: LockedSignal,
  now: Date,
): Promise<void> {
  requireFacts(tx);
  const settings = (await findSettings(tx, orgId)) as SettingsVersion;
  await evaluatePairs(tx, orgId, [{ account_id, partner_id }], { settings, now, deliver: true });
  const after = await lockSignal(tx, orgId, id);
  if (after?.state === restoredState) return;
  const why =
    after?.end_reason === 'time' ? 'its time is up' : 'its deal is closed, or the data no longer supports it';
  throw new ApiError('invalid_transition', `This signal cannot be restored: ${why}.`);
}

async function setState(
  tx: Tx,
  orgId: OrganizationId,
  { id, state: from }: LockedSignal,
  to: SignalState,
  dismiss_reason: DismissReason | null,
  now: Date,
): Promise<void> {
  const ended = to === 'handled' || to === 'expired';
  const end_reason = to === 'handled' ? 'handled' : to === 'expired' ? 'dismissed' : null;
  try {
    const end = { ended_at: ended ? now : null, end_reason, dismiss_reason } as const;
    await setSignalState(tx, orgId, id, { from, to, ...end }, now);
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    throw new ApiError(
      'invalid_transition',
      `This signal cannot go from ${from} to ${to}: another signal of the same type is active on the same deal.`,
    );
  }
}

function refusal(from: SignalState, to: SignalState, endReason: EndReason | null): ApiError {
  const allowed = allowedTargets(from, endReason);
  const hint =
    allowed.length > 0
      ? `from ${from}, you can set: ${allowed.join(', ')}`
      : 'a signal that the service itself ended is final';
  return new ApiError('invalid_transition', `A signal in state ${from} cannot become ${to}; ${hint}.`, {
    details: [{ field: 'state', code: 'invalid_transition', message: hint }],
  });
}
