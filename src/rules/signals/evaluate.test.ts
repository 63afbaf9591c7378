import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  activity,
  daysAgo,
  fired,
  match,
  midnightIn,
  now,
  opportunity,
  opportunityId,
  pair,
} from '../../../test/rules/pair.ts';
import type { OpportunityId } from '../../contract/ids.ts';
import { defaultSettings } from '../../contract/settings.ts';
import { activityKinds, signalStates, signalTypes } from '../../vocabulary.ts';
import { evaluate } from './evaluate.ts';
import type { Activity, ExistingSignal, Match, OpenOpportunity, PairFacts, Rank } from './facts.ts';
import { type Action, reconcile } from './reconcile.ts';

/** A version of a fact; `null` while it is withdrawn, closed or does not apply. */
type Fact =
  | { about: `activity ${string}`; activity: Activity | null }
  | { about: `deal ${string}`; opportunity: OpenOpportunity | null }
  | { about: 'match'; match: Match | null };

const opportunityNames = ['a', 'b', 'c'];
const within = (maxDays: number) => fc.integer({ min: 0, max: maxDays }).map((days) => daysAgo(days));
const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 });

const activityFact = (name: string): fc.Arbitrary<Fact> =>
  sometimes(
    fc
      .tuple(
        fc.constantFrom(...activityKinds),
        within(45),
        sometimes(fc.constantFrom(...opportunityNames, 'unknown')),
      )
      .map(([kind, occurred, named]) =>
        activity(name, kind, occurred, { opportunity_id: named === null ? null : opportunityId(named) }),
      ),
  ).map((value) => ({ about: `activity ${name}`, activity: value }));

const opportunityFact = (name: string): fc.Arbitrary<Fact> =>
  fc
    .option(within(4), { freq: 2 })
    .map((opened) => ({ about: `deal ${name}`, opportunity: opened && opportunity(name, opened) }));

const matchFact: fc.Arbitrary<Fact> = sometimes(within(95)).map((started) => ({
  about: 'match',
  match: started && match(started),
}));

/** All versions of each fact, in a random order that keeps the order of each fact's own versions. */
const histories: fc.Arbitrary<Fact[]> = fc
  .tuple(
    ...['1', '2', '3', '4', '5'].map((name) => fc.array(activityFact(name), { maxLength: 3 })),
    ...opportunityNames.map((name) => fc.array(opportunityFact(name), { maxLength: 3 })),
    fc.array(matchFact, { maxLength: 3 }),
  )
  .chain((versions) => {
    const turns = versions.flatMap((list, index) => list.map(() => index));
    return fc.shuffledSubarray(turns, { minLength: turns.length }).map((order) => {
      const rest = versions.map((list) => [...list]);
      return order.flatMap((index) => rest[index]?.splice(0, 1) ?? []);
    });
  });

const batches = histories.chain((facts) =>
  fc.array(fc.boolean(), { minLength: facts.length, maxLength: facts.length }).map((cuts) => {
    const list: Fact[][] = [[]];
    facts.forEach((fact, index) => {
      list.at(-1)?.push(fact);
      if (cuts[index]) list.push([]);
    });
    return list;
  }),
);

test('the same facts in any order and in any batches end in the same active signals', () => {
  const seen = new Set<Action['do']>();
  fc.assert(
    fc.property(batches, fc.constantFrom(null, ...opportunityNames), (list, takenOverBy) => {
      let signals: ExistingSignal[] = [];
      let known: Fact[] = [];
      for (const batch of list) {
        const isTaker = ({ about }: Fact) => about === `deal ${takenOverBy}`;
        if (batch.some(isTaker) && !known.some(isTaker)) {
          signals = takeOver(signals, opportunityId(String(takenOverBy)));
        }
        known = [...known, ...batch];
        const actions = act(signals, standing(known));
        for (const action of actions) seen.add(action.do);
        signals = apply(signals, actions);
        expect(act(signals, standing(known))).toEqual([]);
      }
      const atOnce = apply([], act([], standing(list.flat())));
      expect(summary(signals)).toEqual(summary(atOnce));
    }),
    { numRuns: 2000 },
  );
  expect(seen).toEqual(new Set(['fire', 'extend', 'move', 'revive', 'expire']));
});

test('time alone does nothing but end each new signal when its time is up', () => {
  fc.assert(
    fc.property(histories, fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1 }), (history, days) => {
      const facts = standing(history);
      let signals = apply([], act([], facts));
      for (const day of days.toSorted((one, other) => one - other)) {
        const later = midnightIn(day);
        const over = signals.filter(({ state, expires_at }) => state === 'new' && expires_at <= later);
        const actions = act(signals, facts, later);
        expect(new Set(actions)).toEqual(
          new Set(over.map(({ id }) => ({ do: 'expire', signal_id: id, end_reason: 'time' }))),
        );
        signals = apply(signals, actions);
      }
    }),
    { numRuns: 1000 },
  );
});

test('the order in which facts are listed changes no candidate', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const facts = standing(history);
      const reversed = {
        ...facts,
        activities: facts.activities.toReversed(),
        open_opportunities: facts.open_opportunities.toReversed(),
      };
      expect(evaluate(reversed, defaultSettings, 1, now)).toEqual(evaluate(facts, defaultSettings, 1, now));
    }),
  );
});

const pastSignal: fc.Arbitrary<ExistingSignal> = fc
  .record({
    type: fc.constantFrom(...signalTypes),
    state: fc.constantFrom(...signalStates),
    opportunity: fc.constantFrom('prospective' as const, ...opportunityNames.map(opportunityId)),
    fired_at: within(60),
    expires_in: fc.integer({ min: -1, max: 40 }),
    ended_at: within(20),
    end_reason: fc.constantFrom('dismissed' as const, 'time' as const, 'facts' as const),
    rank: fc.constantFrom<Rank>(0, 1, 2, 3),
    activity_ids: fc.subarray<ExistingSignal['activity_ids'][number]>(['act_1', 'act_2', 'act_3', 'act_4']),
  })
  .map(({ expires_in, ended_at, end_reason, ...rest }) => {
    const active = rest.state === 'new' || rest.state === 'in_progress';
    return {
      ...rest,
      id: 'sig_0',
      expires_at: daysAgo(-expires_in, '00:00:00Z'),
      ended_at: active ? null : ended_at,
      evidence_at: rest.fired_at,
      end_reason: active ? null : rest.state === 'handled' ? 'handled' : end_reason,
      recommended_action: 'Call.',
    };
  });

const pasts = fc
  .array(pastSignal, { maxLength: 8 })
  .map((signals) =>
    signals
      .map((signal, index): ExistingSignal => ({ ...signal, id: `sig_past${index}` }))
      .filter((signal, index, list) => !list.slice(0, index).some((other) => clash(signal, other))),
  );

test('whatever clients did before, one pass settles it, and work in progress is kept', () => {
  fc.assert(
    fc.property(pasts, histories, (past, history) => {
      const facts = standing(history);
      const actions = act(past, facts);
      const after = apply(past, actions);
      for (const signal of past.filter(({ state }) => state === 'in_progress')) {
        expect(after).toContainEqual(
          expect.objectContaining({ id: signal.id, state: 'in_progress', opportunity: signal.opportunity }),
        );
      }
      const again = act(after, facts).filter((action) => action.do !== 'extend' && action.do !== 'recheck');
      expect(again).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

function act(signals: ExistingSignal[], facts: PairFacts, at = now): Action[] {
  return reconcile(signals, evaluate(facts, defaultSettings, 1, at, signals), facts, defaultSettings, at);
}

/** Applies the actions one by one and checks the constraint of the database after each. */
function apply(signals: ExistingSignal[], actions: Action[]): ExistingSignal[] {
  return actions.reduce((state, action) => {
    const next = applyOne(state, action);
    expectOneEach(next);
    return next;
  }, signals);
}

function applyOne(signals: ExistingSignal[], action: Action): ExistingSignal[] {
  const change = (id: string, over: Partial<ExistingSignal>) =>
    signals.map((signal) => (signal.id === id ? { ...signal, ...over } : signal));
  switch (action.do) {
    case 'fire':
      return [...signals, fired(action.candidate, { id: `sig_${signals.length}` })];
    case 'extend':
    case 'move':
    case 'revive': {
      const { opportunity, expires_at, rank, reason, recommended_action } = action.candidate;
      const said = { opportunity, expires_at, rank, activity_ids: reason.activity_ids, recommended_action };
      const back = { state: 'new', ended_at: null, end_reason: null } as const;
      return change(action.signal_id, action.do === 'revive' ? { ...said, ...back } : said);
    }
    case 'advise':
      return change(action.signal_id, { recommended_action: action.recommended_action });
    case 'expire':
      return change(action.signal_id, { state: 'expired', ended_at: now, end_reason: action.end_reason });
    case 'recheck':
      return signals;
  }
}

/** A CRM deal that replaces the prospective opportunity takes over its signals. */
function takeOver(signals: ExistingSignal[], opportunity: OpportunityId): ExistingSignal[] {
  return signals.map((signal) =>
    signal.opportunity === 'prospective' ? { ...signal, opportunity } : signal,
  );
}

function standing(history: Fact[]): PairFacts {
  const latest = [...new Map(history.map((fact) => [fact.about, fact])).values()];
  return pair({
    match: latest.find((fact) => 'match' in fact)?.match ?? null,
    activities: latest.flatMap((fact) => ('activity' in fact && fact.activity ? [fact.activity] : [])),
    open_opportunities: latest.flatMap((fact) =>
      'opportunity' in fact && fact.opportunity ? [fact.opportunity] : [],
    ),
  });
}

function summary(signals: ExistingSignal[]): string[] {
  return signals
    .filter(isActive)
    .map(({ type, opportunity, expires_at }) => `${type} ${opportunity} ${expires_at.toISOString()}`)
    .sort();
}

function expectOneEach(signals: ExistingSignal[]): void {
  const slots = signals.filter(isActive).map(({ type, opportunity }) => `${type} ${opportunity}`);
  expect(new Set(slots).size).toBe(slots.length);
}

function clash(one: ExistingSignal, other: ExistingSignal): boolean {
  return isActive(one) && isActive(other) && one.type === other.type && one.opportunity === other.opportunity;
}

function isActive({ state }: ExistingSignal): boolean {
  return state === 'new' || state === 'in_progress';
}
