import { expect, test } from 'vitest';
import { activity, daysAgo, match, opportunity, pair } from '../../../test/rules/pair.ts';
import { activityKinds } from '../../vocabulary.ts';
import { coSellAction } from './co-sell.ts';
import { provesCoSell } from './evidence.ts';
import type { Activity, Match, OpenOpportunity, PairFacts } from './facts.ts';
import { overlapAction } from './overlap.ts';
import { preIntentAction } from './pre-intent.ts';
import { closedOpportunityAction, urgencyOf } from './recommended-action.ts';

const tiers = [1, 2, 3, 4] as const;

/** All possible sentences for these names. */
function all(
  over: { facts?: PairFacts; stage?: string; actor?: string | null; key?: string } = {},
): string[] {
  const {
    facts = pair(),
    stage = 'Negotiation',
    actor = 'Ada Moreau',
    key = 'domain:harborfoods.example',
  } = over;
  const open: OpenOpportunity = opportunity('a', daysAgo(9), { stage });
  const found: Match = { ...match(daysAgo(2)), key };
  const evidence: Activity[] = activityKinds.map((kind) => activity('x', kind, daysAgo(1), { actor }));
  return tiers.flatMap((tier) => {
    const tiered = { ...facts, partner: { ...facts.partner, tier } };
    return [
      overlapAction(tiered, found, open),
      overlapAction(tiered, found, undefined),
      ...evidence.filter(provesCoSell).map((newest) => coSellAction(tiered, newest, open)),
      ...evidence.map((newest) => preIntentAction(tiered, newest)),
    ];
  });
}

test('type, tier and kind each change the sentence: no two are alike', () => {
  const sentences = all();
  expect(sentences).toHaveLength(4 * (2 + 9 + 13));
  expect(new Set(sentences).size).toBe(sentences.length);
});

test('every sentence names partner, account and the standing of the deal', () => {
  for (const sentence of all()) {
    expect(sentence).toContain('Northpeak');
    expect(sentence).toContain('Harbor Foods');
    expect(sentence).toMatch(/the deal is in stage "Negotiation"|there is no open deal yet/);
    expect(sentence).toMatch(/^[A-Z].+\. [A-Z].+; .+\. Suggested: [a-z ]+$/);
  }
});

test.each([
  [100, 'today'],
  [65, 'today'],
  [64, 'this week'],
  [40, 'this week'],
  [39, 'within two weeks'],
  [0, 'within two weeks'],
])('a priority of %i is for %s', (priority, words) => {
  expect(urgencyOf(priority)).toBe(words);
});

test('the newest evidence appears with its kind, day and actor', () => {
  const registration = activity('x', 'deal_registration', daysAgo(1), { actor: 'Ada Moreau' });
  if (!provesCoSell(registration)) throw new Error('a registration proves co-selling');
  const strategic = pair({ partner: { ...pair().partner, tier: 1 } });
  expect(coSellAction(strategic, registration, opportunity('a', daysAgo(9)))).toBe(
    "Confirm Northpeak's deal registration for Harbor Foods. " +
      'Latest activity: deal registration on 30 Mar 2026 (Ada Moreau); the deal is in stage "Discovery". ' +
      'Suggested: account owner and alliance lead',
  );
  expect(preIntentAction(pair(), activity('x', 'event_attendance', daysAgo(1)))).toBe(
    'Follow up with Harbor Foods on the event, together with Northpeak. ' +
      'Partner activity passed the threshold; latest: event attendance on 30 Mar 2026; there is no open deal yet. ' +
      'Suggested: account owner and partner manager',
  );
});

test.each([
  ['words', 'Consolidated Harbor and Inland Foods '.repeat(9)],
  ['one word', 'x'.repeat(500)],
  ['characters of two code units', '𝒳'.repeat(500)],
])('stays within 300 characters with long names of %s, cut between characters', (_, long) => {
  const facts = pair({ partner: { ...pair().partner, name: long }, account: { id: 'acc_1', name: long } });
  for (const sentence of all({ facts, stage: long, actor: long, key: long })) {
    expect([...sentence].length).toBeLessThanOrEqual(300);
    expect(sentence).toContain('...');
    expect(sentence).not.toMatch(/\p{Cs}/u);
  }
});

test('nothing in a name breaks the line, hides or turns around', () => {
  const nasty = 'Har\u0000bor\r\n\u2028Foods\u202e\u0007\u0085\ud800';
  const facts = pair({ partner: { ...pair().partner, name: nasty }, account: { id: 'acc_1', name: nasty } });
  for (const sentence of all({ facts, stage: nasty, actor: nasty, key: nasty })) {
    expect(sentence).toContain('Har bor Foods');
    expect(sentence).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202e]/u);
    expect(sentence).not.toMatch(/\p{Cs}/u);
    expect(sentence).not.toContain('  ');
  }
});

test('a value that is absent is not mentioned', () => {
  const blank = pair({ partner: { ...pair().partner, name: ' \n' }, account: { id: 'acc_1', name: '\t' } });
  for (const sentence of [
    ...all({ actor: null, stage: ' ' }),
    ...all({ facts: blank, actor: ' ', stage: '' }),
  ]) {
    expect(sentence).not.toMatch(/null|undefined|""|\( *\)|stage| {2}/);
    expect(sentence).toMatch(/Northpeak|the partner/);
    expect(sentence).toMatch(/the deal is open|there is no open deal yet/);
  }
});

test.each([
  ['registry_number', 'registry:AU:ACN100756', 'same registry number: ACN100756'],
  ['domain', 'domain:harborfoods.example', 'same domain: harborfoods.example'],
  ['extra_domain', 'domain:harbor.example', 'same additional domain: harbor.example'],
  ['name', 'name:AU:harborfoods', 'same name'],
] as const)('a match by %s is told in words, never by its internal key', (kind, key, words) => {
  expect(overlapAction(pair(), { ...match(daysAgo(2)), kind, key }, undefined)).toBe(
    `Plan a first approach to Harbor Foods with Northpeak. You share this account (${words}, since 29 Mar 2026); ` +
      'there is no open deal yet. Suggested: account owner and partner manager',
  );
});

test('a name that ends in s takes an apostrophe alone', () => {
  const registration = activity('x', 'deal_registration', daysAgo(1));
  const facts = pair({ partner: { ...pair().partner, name: 'Sextant Lane Solutions' } });
  expect(preIntentAction(facts, registration)).toContain("Sextant Lane Solutions' registration");
});

test.each([
  ['won', '2026-03-30', /^The deal was won on 30 Mar 2026\. Check the credit for Northpeak .* handled$/],
  ['lost', null, /^The deal was lost\. Agree with Northpeak on what comes next at Harbor Foods.* handled$/],
  ['deleted', null, /^The deal was deleted from the CRM\. Tell Northpeak.*dismiss it$/],
] as const)(
  'after its deal was %s the advice says so, and what is left to do',
  (status, closed_date, text) => {
    expect(closedOpportunityAction(pair(), { id: 'opp_a', status, closed_date })).toMatch(text);
  },
);

test('a name that ends with a full stop does not end a sentence with two', () => {
  const facts = pair();
  const named = { ...facts, account: { ...facts.account, name: 'Harbor Foods B.V.' } };
  const sentences = all({ facts: named });
  expect(sentences.some((sentence) => sentence.includes('Harbor Foods B.V. '))).toBe(true);
  for (const sentence of sentences) expect(sentence).not.toContain('..');
});
