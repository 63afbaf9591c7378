import type { Candidate } from '../../src/rules/choose-matches.ts';
import { comparableCompanyName } from '../../src/rules/company-name.ts';
import { minSuggestionScore, suggest } from '../../src/rules/suggestion.ts';
import { matchLists } from '../../test/rules/match-lists.ts';
import type { Say, Section } from '../section.ts';
import { candidatesOf, type Listed, type ListPair, readList, testPairs } from './lists.ts';

/** Precision and found share on lists with known truth that were not used for building. */
export async function measureMatching(_quick: boolean, say: Say): Promise<Section> {
  const rows = testPairs.map((pair) => {
    say(pair.name);
    return measurePair(pair);
  });
  return {
    name: 'matching',
    title: 'Matching two public lists of companies by name and country',
    rows,
    notes: [
      'Before: the keys of commit a9d4749, on the same lists. Found: accounts with their right counterpart, of all accounts.',
      'By spelling: right matches / matches by the name as written, without spaces, and sorted with abbreviations written out.',
      'No counterpart: accounts with a suggestion after all their counterparts were taken off the other list, where every suggestion is wrong.',
    ],
    chart: { label: 'list', value: 'found, with three suggestions (%)' },
  };
}

function measurePair({ name, accounts: list, partnerAccounts: otherList, before }: ListPair) {
  const [accounts, partnerAccounts] = [readList(list), readList(otherList)];
  const { matches, suggestions } = matchAndSuggest(accounts, partnerAccounts);
  const right = matches.filter(isRight);
  const best = suggestions.filter(({ account, ids }) => ids[0] === account.id);
  const inThree = suggestions.filter(({ account, ids }) => ids.includes(account.id));
  const ids = new Set(accounts.map(({ id }) => id));
  const strangers = partnerAccounts.filter(({ id }) => !ids.has(id));

  return {
    list: name,
    accounts: `${accounts.length} of ${partnerAccounts.length}`,
    'found before (%)': before.found,
    'right before (%)': before.precision,
    'found (%)': percent(right.length, accounts.length),
    'right (%)': percent(right.length, matches.length),
    'by spelling': bySpelling(accounts, matches),
    'found, with three suggestions (%)': percent(right.length + inThree.length, accounts.length),
    'best suggestion right': `${best.length} of ${suggestions.length} (${percent(best.length, suggestions.length)} %)`,
    'no counterpart': `${matchAndSuggest(accounts, strangers).suggestions.length} of ${accounts.length}`,
  };
}

/** The automatic matches, and for each account without one its three best candidates. */
function matchAndSuggest(accounts: Listed[], partnerAccounts: Listed[]) {
  const matches = matchLists(accounts, partnerAccounts);
  const matched = new Set([...matches.values()].map(({ external_id }) => external_id));
  const candidates = candidatesOf(
    accounts.filter(({ id }) => !matches.has(id)),
    partnerAccounts.filter(({ id }) => !matched.has(id)),
  );
  const suggestions = [...candidates].map(([account, list]) => ({ account, ids: bestOf(account, list) }));
  return { matches: [...matches.values()], suggestions: suggestions.filter(({ ids }) => ids.length > 0) };
}

function bestOf(account: Listed, candidates: Listed[]): string[] {
  return candidates
    .map((candidate) => ({ id: candidate.id, score: suggest(account, candidate).score }))
    .filter(({ score }) => score >= minSuggestionScore)
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, 3)
    .map(({ id }) => id);
}

function bySpelling(accounts: Listed[], matches: Candidate[]): string {
  const comparable = new Map(
    accounts.map((a) => [a.id, comparableCompanyName(a.name, a.country ?? '') ?? '']),
  );
  const spelling = ({ account_id, key }: Candidate) => {
    const name = comparable.get(account_id) ?? '';
    if (key.endsWith(`:${name}`)) return 0;
    return key.endsWith(`:${name.replaceAll(' ', '')}`) ? 1 : 2;
  };
  return [0, 1, 2]
    .map((place) => matches.filter((match) => spelling(match) === place))
    .map((found) => `${found.filter(isRight).length}/${found.length}`)
    .join(', ');
}

function percent(part: number, whole: number): number {
  return Number(((100 * part) / whole).toFixed(1));
}

function isRight({ account_id, external_id }: Candidate): boolean {
  return account_id === external_id;
}
