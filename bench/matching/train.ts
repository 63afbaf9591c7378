/*
 * Trains the weights of suggestions on the training lists and writes them: node scripts/run-typescript.mjs
 * bench/matching/train.ts. Logistic regression by gradient descent, without randomness, so the result is always the same.
 */
import { writeFileSync } from 'node:fs';
import { type Feature, features } from '../../src/rules/matching/suggestion.ts';
import { matchLists } from '../../test/rules/match-lists.ts';
import { candidatesOf, type Listed, readList, trainingPairs } from './lists.ts';

/** Set by hand: the lists have no domains, their pairs are from one country, and initials are too rare in them. */
const judged: Partial<Record<Feature, number>> = {
  acronym: 6,
  other_country: -2,
  same_domain: 11,
  other_domain: -0.5,
};

type Example = { values: number[]; isSame: boolean };

const learned = Object.keys(features(company(''), company(''))).filter(
  (name) => !(name in judged),
) as Feature[];
const examples = trainingPairs.flatMap(({ accounts, partnerAccounts }) =>
  // Most accounts without a match are not on the partner's list at all, so the counterparts of one half are removed.
  [0, 1].flatMap((half) => examplesOf(readList(accounts), readList(partnerAccounts), half)),
);
const weights = learn(examples);
const named = learned.map((name, index) => [name, weights[index + 1] ?? 0] as const);
const result = { bias: weights[0] ?? 0, ...Object.fromEntries(named), ...judged };
const lines = Object.entries(result).map(([name, weight]) => `  ${name}: ${Number(weight.toFixed(2))},`);
writeFileSync(
  new URL('../../src/rules/matching/suggestion-weights.ts', import.meta.url),
  `/** Written by \`bench/matching/train.ts\` from the lists in \`bench/matching/data\`; do not edit by hand. */
export const suggestionWeights = {
${lines.join('\n')}
};
`,
);
const same = examples.filter(({ isSame }) => isSame).length;
console.log(`${examples.length} pairs, ${same} of them one company`);
console.log(lines.join('\n'));

function company(name: string): Listed {
  return { id: '', name, domain: null, country: 'US', registry_number: null };
}

function examplesOf(accounts: Listed[], partnerAccounts: Listed[], half: number): Example[] {
  const absent = new Set(accounts.filter((_, index) => index % 2 === half).map(({ id }) => id));
  const present = partnerAccounts.filter(({ id }) => !absent.has(id));
  const matches = matchLists(accounts, present);
  const matched = new Set([...matches.values()].map(({ external_id }) => external_id));
  const candidates = candidatesOf(
    accounts.filter(({ id }) => !matches.has(id)),
    present.filter(({ id }) => !matched.has(id)),
  );
  return [...candidates].flatMap(([account, list]) =>
    list.map((candidate) => {
      const found = features(account, candidate);
      return { values: [1, ...learned.map((name) => found[name])], isSame: account.id === candidate.id };
    }),
  );
}

function learn(pairs: Example[], steps = 4000, rate = 2, decay = 1e-4): number[] {
  const weights = (pairs[0]?.values ?? []).map(() => 0);
  for (let step = 0; step < steps; step++) {
    const gradient = weights.map((weight, index) => (index === 0 ? 0 : decay * weight));
    for (const { values, isSame } of pairs) {
      const sum = values.reduce((total, value, index) => total + value * (weights[index] ?? 0), 0);
      const error = (1 / (1 + Math.exp(-sum)) - (isSame ? 1 : 0)) / pairs.length;
      for (const [index, value] of values.entries()) gradient[index] = (gradient[index] ?? 0) + error * value;
    }
    for (const [index, slope] of gradient.entries()) weights[index] = (weights[index] ?? 0) - rate * slope;
  }
  return weights;
}
