import { suggest } from '../../src/rules/suggestion.ts';
import { type Listed, type ListPair, readList } from './lists.ts';
import { candidatesOf, matchLists } from './match-lists.ts';

export type Measured = ReturnType<typeof measurePair>;

/** How two lists with known truth are matched, automatically and with the three best suggestions. */
export function measurePair({ name, accounts: list, partnerAccounts: otherList }: ListPair) {
  const [accounts, partnerAccounts] = [readList(list), readList(otherList)];
  const matches = matchLists(accounts, partnerAccounts);
  const wrong = [...matches.values()].filter((match) => match.account_id !== match.external_id);
  const matched = new Set([...matches.values()].map(({ external_id }) => external_id));
  const unmatched = accounts.filter(({ id }) => !matches.has(id));
  const open = partnerAccounts.filter(({ id }) => !matched.has(id));
  const candidates = candidatesOf(unmatched, open);
  const ranked = [...candidates].map(([account, list]) => ({ account, best: bestOf(account, list) }));
  const suggested = ranked.filter(({ best }) => best.length > 0);
  const firstRight = suggested.filter(({ account, best }) => best[0]?.id === account.id);
  const inThree = suggested.filter(({ account, best }) => best.some(({ id }) => id === account.id));
  const right = matches.size - wrong.length;
  return {
    name,
    accounts: accounts.length,
    partnerAccounts: partnerAccounts.length,
    matches: matches.size,
    precision: right / matches.size,
    found: right / accounts.length,
    foundWithSuggestions: (right + inThree.length) / accounts.length,
    suggested: suggested.length,
    bestRight: firstRight.length / suggested.length,
    candidates: [...candidates.values()].reduce((sum, list) => sum + list.length, 0) / unmatched.length,
    wrong,
    ranked,
    reachable: [...candidates].filter(([account, list]) => list.some(({ id }) => id === account.id)).length,
  };
}

function bestOf(account: Listed, candidates: Listed[]) {
  return candidates
    .map((candidate) => ({ id: candidate.id, name: candidate.name, ...suggest(account, candidate) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, 3);
}
