import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { on, partnerOf, wonOpportunity } from '../../../test/rules/won-opportunity.ts';
import { defaultSettings } from '../../contract/settings.ts';
import { activityKinds, type Tier, tiers } from '../../vocabulary.ts';
import { isoDay } from '../day.ts';
import {
  type Credit,
  creditOpportunity,
  type OpportunityActivity,
  type OpportunityPartner,
  type WonOpportunity,
} from './attribution.ts';

describe('for any deal,', () => {
  const activities = (partner: string) =>
    fc
      .array(
        fc.record({
          kind: fc.constantFrom(...activityKinds),
          occurred: fc.oneof(
            fc.integer({ min: -200, max: 60 }),
            fc.integer({ min: -15, max: 5 }),
            fc.constantFrom(-180, -1, 0),
          ),
          hour: fc.constantFrom('00', '12', '23'),
          delay: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.integer({ min: 1, max: 60 })),
        }),
        { maxLength: 6 },
      )
      .map((list) =>
        list.map(
          ({ kind, occurred, hour, delay }, index): OpportunityActivity => ({
            id: `act_${partner}${index}`,
            external_id: `${partner}${index}`,
            kind,
            occurred_at: on(occurred, `${hour}:00:00Z`),
            recorded_at: on(occurred + delay),
            summary: kind,
          }),
        ),
      );
  const partner = (name: string, pins: Tier[]) =>
    fc
      .tuple(fc.option(fc.constantFrom(...pins), { freq: 4 }), activities(name))
      .map(([pinned, done]) => partnerOf(name, pinned, done));
  const partners = fc
    .tuple(
      partner('Zurich', [...tiers]),
      partner('Oslo', ['co_sell', 'influenced']),
      partner('Kyoto', ['co_sell', 'influenced']),
    )
    .chain((all) => fc.shuffledSubarray(all, { minLength: 1 }));
  const opportunities = fc
    .tuple(fc.integer({ min: -5, max: 110 }), fc.constantFrom(-500, -500, -1, 0, 20, 200))
    .map(([closed, created]) => wonOpportunity(closed, created));

  const check = (
    holds: (opportunity: WonOpportunity, partners: OpportunityPartner[], credits: Credit[]) => void,
  ) =>
    fc.assert(
      fc.property(opportunities, partners, (opportunity, all) =>
        holds(opportunity, all, creditOpportunity(opportunity, all, defaultSettings)),
      ),
      { numRuns: 1000 },
    );
  const byPartner = (credits: Credit[]) => credits.toSorted((a, b) => (a.partner_id < b.partner_id ? -1 : 1));
  const rank = (tier: Tier | null) => (tier ? tiers.length - tiers.indexOf(tier) : 0);

  test('each partner is answered in its place, and at most one is the source', () => {
    check((_, all, credits) => {
      expect(credits.map((credit) => credit.partner_id)).toEqual(all.map((partner) => partner.partner_id));
      expect(credits.filter(({ tier }) => tier === 'sourced').length).toBeLessThanOrEqual(1);
    });
  });

  test('the order of partners and of their activities does not matter', () => {
    check((opportunity, all, credits) => {
      const reversed = all.toReversed().map((partner) => {
        return { ...partner, activities: partner.activities.toReversed() };
      });
      expect(byPartner(creditOpportunity(opportunity, reversed, defaultSettings))).toEqual(
        byPartner(credits),
      );
    });
  });

  test('the tier is the highest that a counted line supports, unless it is pinned', () => {
    check((_, all, credits) => {
      for (const [index, { tier, evidence }] of credits.entries()) {
        const counted = evidence.filter((line) => line.counted);
        const highest = Math.max(0, ...counted.map((line) => rank(line.tier_supported)));
        const pinned = all[index]?.pinned_tier ?? null;
        expect(rank(tier)).toBe(pinned ? rank(pinned) : highest);
        for (const line of counted) expect(line.tier_supported).not.toBeNull();
      }
    });
  });

  test('a new activity lowers nobody, except the source whom its partner replaces', () => {
    fc.assert(
      fc.property(opportunities, partners, activities('new'), fc.nat(), (opportunity, all, added, pick) => {
        const chosen = pick % all.length;
        const more = all.map((partner, index) =>
          index === chosen ? { ...partner, activities: [...partner.activities, ...added] } : partner,
        );
        const before = creditOpportunity(opportunity, all, defaultSettings);
        const after = creditOpportunity(opportunity, more, defaultSettings);
        const replaces = before[chosen]?.tier !== 'sourced' && after[chosen]?.tier === 'sourced';
        for (const [index, { tier }] of after.entries()) {
          const was = before[index]?.tier ?? null;
          if (index === chosen) expect(rank(tier)).toBeGreaterThanOrEqual(rank(was));
          else if (replaces && was === 'sourced') expect(tier).not.toBe('sourced');
          else expect(tier).toBe(was);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('what neither counts nor weighs changes nothing', () => {
    check((opportunity, all, credits) => {
      const matters = new Set(
        credits.flatMap(({ evidence }) =>
          evidence
            .filter((line) => line.counted || line.reason.includes('counts toward pre-intent'))
            .map((line) => line.activity_id),
        ),
      );
      const fewer = all.map((partner) => {
        return { ...partner, activities: partner.activities.filter(({ id }) => matters.has(id)) };
      });
      const tiersOf = (list: Credit[]) => list.map(({ tier }) => tier);
      expect(tiersOf(creditOpportunity(opportunity, fewer, defaultSettings))).toEqual(tiersOf(credits));
    });
  });

  test('lines are oldest first, each of an activity by the closing, with whole sentences that name no partner', () => {
    check((opportunity, _, credits) => {
      for (const { evidence } of credits) {
        const times = evidence.map((line) => line.occurred_at.getTime());
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        expect(new Set(evidence.map((line) => line.activity_id)).size).toBe(evidence.length);
        for (const line of evidence) {
          expect(isoDay(line.occurred_at) <= opportunity.closed_date).toBe(true);
          expect(line.reason).toMatch(/^[A-Z](?!.*\.\.)(?!.* {2}).*\.$/);
          expect(line.reason).not.toMatch(/Zurich|Oslo|Kyoto|null|undefined|NaN|Infinity/);
        }
      }
    });
  });
});
