import type { SignalId } from '../../contract/ids.ts';
import type { Settings } from '../../contract/settings.ts';
import { signalTypes } from '../../vocabulary.ts';
import { dayNumber, deadline } from '../day.ts';
import { isActive } from './earliest-day.ts';
import type { Candidate, ExistingSignal, PairFacts } from './facts.ts';
import { closedOpportunityAction } from './recommended-action.ts';

export type Action =
  | { do: 'fire'; candidate: Candidate }
  /** The candidate's expiry, reason, rank and advice replace the signal's. */
  | { do: 'extend'; signal_id: SignalId; candidate: Candidate }
  /** Like `extend`, and changes the opportunity. */
  | { do: 'move'; signal_id: SignalId; candidate: Candidate }
  /** Like `move`, and sets the state to `new`. */
  | { do: 'revive'; signal_id: SignalId; candidate: Candidate }
  /** The signal is in progress and its deal has closed: only the recommended action changes. */
  | { do: 'advise'; signal_id: SignalId; recommended_action: string }
  | { do: 'expire'; signal_id: SignalId; end_reason: 'facts' | 'time' }
  /** The quiet period holds back a candidate: evaluate again when it ends. */
  | { do: 'recheck'; at: Date };

/**
 * The actions that turn the existing signals into those that the facts support. Whatever the order of the actions, two
 * active signals never have the same type and opportunity.
 */
export function reconcile(
  existing: ExistingSignal[],
  candidates: Candidate[],
  facts: PairFacts,
  settings: Settings,
  now: Date,
): Action[] {
  return signalTypes.flatMap((type) => {
    const signals = oldestFirst(existing.filter((signal) => signal.type === type));
    const wanted = candidates.filter((candidate) => candidate.type === type);
    const { actions, unmet } = settleActive(signals, wanted, facts, now);
    return [...actions, ...unmet.flatMap((candidate) => begin(candidate, signals, facts, settings, now))];
  });
}

/** Decides about the active signals, and returns the candidates without one. */
function settleActive(signals: ExistingSignal[], wanted: Candidate[], facts: PairFacts, now: Date) {
  const active = signals.filter(isActive);
  const actions: Action[] = [];
  let unmet = wanted.filter(
    ({ opportunity }) => !active.some((signal) => signal.opportunity === opportunity),
  );
  for (const signal of active) {
    const own = wanted.find(({ opportunity }) => opportunity === signal.opportunity);
    if (own) {
      if (differs(signal, own)) actions.push({ do: 'extend', signal_id: signal.id, candidate: own });
      continue;
    }
    if (signal.state === 'in_progress') {
      const opportunity = facts.closed_opportunities.find(({ id }) => id === signal.opportunity);
      const recommended_action = opportunity
        ? closedOpportunityAction(facts, opportunity)
        : signal.recommended_action;
      if (recommended_action !== signal.recommended_action)
        actions.push({ do: 'advise', signal_id: signal.id, recommended_action });
      continue;
    }
    const target = isClosed(signal, facts)
      ? undefined
      : (unmet.find((candidate) => sharesEvidence(signal, candidate)) ?? unmet[0]);
    if (target) {
      actions.push({ do: 'move', signal_id: signal.id, candidate: target });
      unmet = unmet.filter((candidate) => candidate !== target);
    } else {
      const end_reason = signal.expires_at <= now ? 'time' : 'facts';
      actions.push({ do: 'expire', signal_id: signal.id, end_reason });
    }
  }
  return { actions, unmet };
}

function begin(
  candidate: Candidate,
  signals: ExistingSignal[],
  facts: PairFacts,
  settings: Settings,
  now: Date,
): Action[] {
  const fire: Action = { do: 'fire', candidate };
  const last = predecessor(candidate, signals, facts);
  if (!last) return [fire];
  if (last.end_reason === 'facts') {
    return sharesEvidence(last, candidate) ? [{ do: 'revive', signal_id: last.id, candidate }] : [fire];
  }
  if (candidate.type === 'overlap') return [];
  if (candidate.rank > last.rank) return [fire];
  if (!hasFreshEvidence(candidate, last)) return [];
  const cooldownUntil = deadline(endOf(last), settings.signals.quiet_days);
  if (cooldownUntil <= now) return [fire];
  return cooldownUntil < candidate.expires_at ? [{ do: 'recheck', at: cooldownUntil }] : [];
}

/**
 * The earlier signal on the same evidence. A match fires only once per episode, on whichever deal: a signal that a person
 * handled or dismissed takes precedence over one that later ended because of facts. Otherwise it is the signal of this deal
 * that ended last.
 */
function predecessor(
  candidate: Candidate,
  signals: ExistingSignal[],
  { match }: PairFacts,
): ExistingSignal | undefined {
  if (candidate.type !== 'overlap') {
    return lastEnded(signals.filter(({ opportunity }) => opportunity === candidate.opportunity));
  }
  const episode = signals.filter(
    ({ state, fired_at }) => state !== 'new' && match && dayNumber(fired_at) >= dayNumber(match.started_at),
  );
  return episode.find(({ end_reason }) => end_reason !== 'facts') ?? lastEnded(episode);
}

function lastEnded(signals: ExistingSignal[]): ExistingSignal | undefined {
  return signals
    .filter((signal) => !isActive(signal))
    .reduce<ExistingSignal | undefined>(
      (last, signal) => (last && endOf(last) > endOf(signal) ? last : signal),
      undefined,
    );
}

function endOf({ ended_at, fired_at }: ExistingSignal): Date {
  return ended_at ?? fired_at;
}

/** Different evidence makes a new signal: reactivating an old one would hide it under the old `fired_at`. */
function sharesEvidence(signal: ExistingSignal, { type, reason }: Candidate): boolean {
  const known = new Set(signal.activity_ids);
  return type === 'overlap' || reason.activity_ids.some((id) => known.has(id));
}

function hasFreshEvidence({ reason }: Candidate, signal: ExistingSignal): boolean {
  const known = new Set(signal.activity_ids);
  return reason.activity_ids.some((id) => !known.has(id));
}

function isClosed({ opportunity }: ExistingSignal, { open_opportunities }: PairFacts): boolean {
  return opportunity !== 'prospective' && !open_opportunities.some(({ id }) => id === opportunity);
}

/** Ignores `detail` and the urgency, which change from day to day and would rewrite signals without new facts. */
function differs(signal: ExistingSignal, candidate: Candidate): boolean {
  return (
    signal.expires_at.getTime() !== candidate.expires_at.getTime() ||
    signal.rank !== candidate.rank ||
    signal.recommended_action !== candidate.recommended_action ||
    signal.activity_ids.length !== candidate.reason.activity_ids.length ||
    hasFreshEvidence(candidate, signal)
  );
}

function oldestFirst(signals: ExistingSignal[]): ExistingSignal[] {
  return signals.toSorted(
    (a, b) => a.fired_at.getTime() - b.fired_at.getTime() || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
  );
}
