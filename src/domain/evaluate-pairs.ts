import { newId, type OpportunityId, type OrganizationId, type SignalId } from '../contract/ids.ts';
import type { SettingsVersion } from '../contract/settings.ts';
import { ageDays, isoDay } from '../rules/day.ts';
import { isActive } from '../rules/signals/earliest-day.ts';
import { evaluate } from '../rules/signals/evaluate.ts';
import type { Candidate, PairFacts } from '../rules/signals/facts.ts';
import type { Score } from '../rules/signals/priority.ts';
import { urgencyOf } from '../rules/signals/recommended-action.ts';
import { type Action, reconcile } from '../rules/signals/reconcile.ts';
import type { FactsTx, Tx } from '../store/db/tx.ts';
import { ensureProspective, type ProspectiveOpportunity } from '../store/facts/crm-facts.ts';
import { type Pair, upsertRechecks } from '../store/signals/pairs.ts';
import { type NewScore, sameScore, updatePriorities } from '../store/signals/priority.ts';
import { insertSignalChanges, type SignalChange } from '../store/signals/signal-changes.ts';
import type { NewSignal, PairSignal, SignalUpdate } from '../store/signals/signal-columns.ts';
import { findSignalItems } from '../store/signals/signal-items.ts';
import { insertSignals, updateSignals } from '../store/signals/signals.ts';
import type { SignalType } from '../vocabulary.ts';
import { changeNotes } from './change-notes.ts';
import { emitEvents } from './events.ts';
import { loadPairs, type PairState, pairKey } from './load-pairs.ts';
import { quietly, readAhead } from './prefetch.ts';
import { createScorer, type Scorer } from './priority.ts';

export type EvaluationOptions = {
  settings: SettingsVersion;
  now: Date;
  deliver: boolean;
  /** Why a match ended, if it was not because of facts. */
  unmatched?: string;
};

/** How many signals fired, by type. */
export type Fired = Partial<Record<SignalType, number>>;

/** Pairs per step; a few steps are in memory at a time. */
const stepPairs = 250;

/** Updates the signals of these pairs to the facts in this transaction. */
export async function evaluatePairs(
  tx: FactsTx,
  orgId: OrganizationId,
  pairs: Pair[],
  options: EvaluationOptions,
): Promise<Fired> {
  const { settings, now } = options;
  const fired: Fired = {};
  if (pairs.length === 0) return fired;
  const partnerIds = pairs.map((pair) => pair.partner_id);
  const scorer = quietly(createScorer(tx, orgId, partnerIds, settings.settings, now));
  let written = Promise.resolve();
  try {
    const read = (step: Pair[]) => loadPairs(tx, orgId, step, settings.settings, now);
    for await (const states of readAhead(pairs, stepPairs, read)) {
      const decided = await decide(tx, orgId, states, await scorer, options);
      await written;
      written = quietly(write(tx, orgId, decided, options).then(count));
    }
    await written;
  } finally {
    await written.catch(() => {});
  }
  return fired;

  function count(types: SignalType[]): void {
    for (const type of types) fired[type] = (fired[type] ?? 0) + 1;
  }
}

type Decided = {
  fired: NewSignal[];
  updated: SignalUpdate[];
  rescored: NewScore[];
  changes: SignalChange[];
  rechecks: (Pair & { due_at: Date })[];
};

async function decide(
  tx: Tx,
  orgId: OrganizationId,
  states: PairState[],
  scorer: Scorer,
  { settings, now, unmatched = changeNotes.facts }: EvaluationOptions,
): Promise<Decided> {
  const pairs = states.map((state) => {
    const candidates = evaluate(state.facts, settings.settings, settings.version, now, state.existing);
    return { state, actions: reconcile(state.existing, candidates, state.facts, settings.settings, now) };
  });
  const opportunityOf = await prepareProspective(tx, orgId, pairs, now);

  const decided: Decided = { fired: [], updated: [], rescored: [], changes: [], rechecks: [] };
  for (const { state, actions } of pairs) {
    const contentOf = (candidate: Candidate) =>
      content(candidate, opportunityOf(state, candidate), scoreOf(scorer, state, candidate));
    for (const action of actions) {
      switch (action.do) {
        case 'fire':
          decided.fired.push({
            id: newId('sig'),
            type: action.candidate.type,
            ...state.pair,
            ...contentOf(action.candidate),
          });
          break;
        case 'recheck':
          decided.rechecks.push({ ...state.pair, due_at: action.at });
          break;
        default: {
          const row = state.rows.get(action.signal_id) as PairSignal;
          const update = toUpdate(row, action, now, contentOf);
          decided.updated.push(update);
          if (update.state !== row.state)
            decided.changes.push({
              signal_id: row.id,
              from_state: row.state,
              to_state: update.state,
              note: noteOf(action, state, unmatched),
            });
        }
      }
    }
    for (const signal of state.existing.filter(isActive)) {
      const action = actions.find((one) => 'signal_id' in one && one.signal_id === signal.id);
      if (action && action.do !== 'advise') continue;
      const row = state.rows.get(signal.id) as PairSignal;
      const score = scoreOf(scorer, state, signal);
      if (sameScore(row, score)) continue;
      decided.rescored.push({ id: row.id, ...score });
      // If facts change the urgency, the action says so.
      const urgency = urgencyOf(score.priority);
      const isNews = row.priority_parts && urgency !== urgencyOf(row.priority);
      if (!action && isNews && row.urgency !== null && row.urgency !== urgency)
        decided.updated.push({ ...unchanged(row), urgency });
    }
  }
  return decided;
}

/** Returns the types of the signals that fired. */
async function write(
  tx: Tx,
  orgId: OrganizationId,
  { fired, updated, rescored, changes, rechecks }: Decided,
  { now, deliver }: EvaluationOptions,
): Promise<SignalType[]> {
  const ids = [...fired, ...updated].map(({ id }) => id);
  // Sent together and run in this order: signals that end or move free their unique key before new ones are inserted.
  const [, , , inserted, , items] = await Promise.all([
    updated.length > 0 && updateSignals(tx, orgId, updated, now),
    rescored.length > 0 && updatePriorities(tx, orgId, rescored),
    changes.length > 0 && insertSignalChanges(tx, orgId, changes, null, now),
    fired.length > 0 ? insertSignals(tx, orgId, fired, now) : [],
    rechecks.length > 0 && upsertRechecks(tx, orgId, soonest(rechecks)),
    ids.length > 0 ? findSignalItems(tx, orgId, ids) : [],
  ]);
  const isNew = new Set(inserted);
  const created = items.filter(({ id }) => isNew.has(id));
  const changed = items.filter(({ id }) => !isNew.has(id));
  await Promise.all([
    emitEvents(tx, orgId, 'signal.created', created, deliver),
    emitEvents(tx, orgId, 'signal.updated', changed, deliver),
  ]);
  return created.map(({ type }) => type);
}

function noteOf(
  action: Extract<Action, { signal_id: SignalId }>,
  { existing, facts }: PairState,
  unmatched: string,
): string | null {
  if (action.do === 'revive') return changeNotes.again;
  if (action.do !== 'expire') return null;
  if (action.end_reason === 'time') return changeNotes.time;
  const signal = existing.find(({ id }) => id === action.signal_id);
  const opportunity = signal?.opportunity;
  const isOpen =
    opportunity === 'prospective' || facts.open_opportunities.some(({ id }) => id === opportunity);
  if (!isOpen) return changeNotes.opportunity;
  return signal?.type === 'overlap' ? unmatched : changeNotes.facts;
}

/** A closed deal has no value left, and an overlap has the confidence of its match. */
function scoreOf(
  scorer: Scorer,
  { pair, facts }: PairState,
  signal: Pick<Candidate, 'type' | 'opportunity' | 'rank' | 'evidence_at' | 'expires_at'>,
): Score {
  const opportunity = facts.open_opportunities.find(({ id }) => id === signal.opportunity) ?? null;
  const confidence = signal.type === 'overlap' ? (facts.match?.confidence ?? 0) : null;
  return scorer({ ...signal, opportunity, confidence, partner_tier: facts.partner.tier }, pair.partner_id);
}

function content(candidate: Candidate, opportunity_id: OpportunityId, score: Score) {
  return {
    opportunity_id,
    expires_at: candidate.expires_at,
    evidence_at: candidate.evidence_at,
    rank: candidate.rank,
    recommended_action: candidate.recommended_action,
    urgency: urgencyOf(score.priority),
    reasons: [candidate.reason],
    ...score,
  };
}

function unchanged({ partner_id, type, ...row }: PairSignal): SignalUpdate {
  return { ...row, from_state: row.state, ended_at: null, end_reason: null };
}

function toUpdate(
  row: PairSignal,
  action: Extract<Action, { signal_id: SignalId }>,
  now: Date,
  contentOf: (candidate: Candidate) => Omit<NewSignal, 'id' | 'type' | keyof Pair>,
): SignalUpdate {
  const active = unchanged(row);
  switch (action.do) {
    case 'extend':
    case 'move':
      return { ...active, ...contentOf(action.candidate) };
    case 'revive':
      return { ...active, state: 'new', ...contentOf(action.candidate) };
    case 'advise':
      return { ...active, recommended_action: action.recommended_action, urgency: null };
    case 'expire':
      return { ...active, state: 'expired', ended_at: now, end_reason: action.end_reason };
  }
}

/** Creates the prospective opportunities that are needed, and sets the opportunity of each candidate. */
async function prepareProspective(
  tx: Tx,
  orgId: OrganizationId,
  decided: { state: PairState; actions: Action[] }[],
  now: Date,
): Promise<(state: PairState, candidate: Candidate) => OpportunityId> {
  const needed = new Map<string, ProspectiveOpportunity & { name: string }>();
  for (const { state, actions } of decided) {
    for (const action of actions) {
      if (!('candidate' in action) || action.candidate.opportunity !== 'prospective') continue;
      const { id, name } = state.facts.account;
      const first = firstEvidence(state.facts, action.candidate, now);
      const known = needed.get(id);
      if (known && known.first_evidence_on <= first) continue;
      needed.set(id, {
        id: known?.id ?? newId('opp'),
        account_id: id,
        name: `Prospective: ${name}`,
        first_evidence_on: first,
      });
    }
  }
  const made = needed.size > 0 ? await ensureProspective(tx, orgId, [...needed.values()], now) : [];
  const byAccount = new Map(made.map((row) => [row.account_id, row.id]));
  return (state, { opportunity }) =>
    opportunity === 'prospective' ? (byAccount.get(state.pair.account_id) as OpportunityId) : opportunity;
}

/** The UTC day of the oldest evidence of a candidate. */
function firstEvidence(facts: PairFacts, candidate: Candidate, now: Date): string {
  const ids = new Set(candidate.reason.activity_ids);
  const times = facts.activities
    .filter((activity) => ids.has(activity.id))
    .map((activity) => activity.occurred_at);
  if (candidate.type === 'overlap' && facts.match) times.push(facts.match.started_at);
  return isoDay(
    times.reduce((first, time) => (ageDays(time, now) > ageDays(first, now) ? time : first), now),
  );
}

function soonest(rechecks: (Pair & { due_at: Date })[]): (Pair & { due_at: Date })[] {
  const byPair = new Map<string, Pair & { due_at: Date }>();
  for (const recheck of rechecks) {
    const known = byPair.get(pairKey(recheck));
    if (!known || recheck.due_at < known.due_at) byPair.set(pairKey(recheck), recheck);
  }
  return [...byPair.values()];
}
