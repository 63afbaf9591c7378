import { groupBy } from '../../contract/values/group-by.ts';
import { type MatchKind, matchKinds } from '../../vocabulary.ts';
import { companyWords, comparableSpellings } from './company-name.ts';
import { affixWords } from './company-words.ts';
import { domainKey, type KeyedFact, knownCountryCode, registryKey } from './matching.ts';

/** An account and a partner account that share a key, with the number of rows on each list that have it. */
export type Candidate = {
  account_id: string;
  partner_id: string;
  external_id: string;
  kind: MatchKind;
  key: string;
  accounts: number;
  partner_accounts: number;
};

/** A row that shares a key with other rows of its list; `partner_id` is null for your own accounts. */
export type Holder = Omit<KeyedFact, 'extra_domains'> & {
  key: string;
  partner_id: string | null;
  id: string;
  extra_domains: string[] | null;
};

/** A key that more rows of one list share identifies none of them. */
export const maxHolders = 100;

/** Candidates whose key is ambiguous unless its holders are checked. */
export function sharedKeys<C extends Candidate>(candidates: C[]): C[] {
  const shared = candidates.filter((candidate) => isShared(candidate));
  return [
    ...new Map(shared.map((candidate) => [listKey(candidate.key, candidate.partner_id), candidate])).values(),
  ];
}

/** Drops the candidates whose key does not identify one company per list. */
export function withoutAmbiguous<C extends Candidate>(candidates: C[], holders: Holder[]): C[] {
  const lists = groupBy(holders, ({ key, partner_id }) => listKey(key, partner_id));
  const verdicts = new Map<string, boolean>();
  return candidates.filter((candidate) => {
    const { key, kind, partner_id } = candidate;
    if (Math.max(candidate.accounts, candidate.partner_accounts) > maxHolders) return false;
    if (!isShared(candidate)) return true;
    const isOfOne = [null, partner_id].every((list) => isOfOneCompany(listKey(key, list), kind));
    return isOfOne || (kind !== 'name' && doAgree(candidate));
  });

  function isOfOneCompany(list: string, kind: MatchKind): boolean {
    const known = verdicts.get(list);
    if (known !== undefined) return known;
    const verdict = (kind === 'name' ? areLinked : areAlike)(lists.get(list) ?? []);
    verdicts.set(list, verdict);
    return verdict;
  }

  function doAgree({ key, account_id, partner_id, external_id }: Candidate): boolean {
    const account = lists.get(listKey(key, null))?.find(({ id }) => id === account_id);
    const partnerAccount = lists.get(listKey(key, partner_id))?.find(({ id }) => id === external_id);
    if (!account || !partnerAccount) return false;
    const country = knownCountryCode(account.country);
    return (
      (country !== null && country === knownCountryCode(partnerAccount.country)) ||
      hasCommon(spellings(account), spellings(partnerAccount))
    );
  }
}

/** One match per account and partner: the strongest kind, then the first partner account. */
export function strongestOfEach<C extends Omit<Candidate, 'accounts' | 'partner_accounts'>>(
  candidates: C[],
): C[] {
  const best = new Map<string, C>();
  for (const candidate of candidates) {
    const pair = `${candidate.account_id} ${candidate.partner_id}`;
    const known = best.get(pair);
    if (!known || isBefore(candidate, known)) best.set(pair, candidate);
  }
  return [...best.values()];
}

function isBefore(one: Omit<Candidate, 'accounts' | 'partner_accounts'>, other: typeof one): boolean {
  if (one.kind !== other.kind) return matchKinds.indexOf(one.kind) < matchKinds.indexOf(other.kind);
  if (one.external_id !== other.external_id) return one.external_id < other.external_id;
  return one.key < other.key;
}

/** A registry number belongs to one company, however often it is listed. */
function isShared({ kind, accounts, partner_accounts }: Candidate): boolean {
  const most = Math.max(accounts, partner_accounts);
  return kind !== 'registry_number' && most > 1 && most <= maxHolders;
}

function listKey(key: string, partnerId: string | null): string {
  return `${partnerId ?? ''} ${key}`;
}

/** Whether rows with the same name are one company: domains or registry numbers connect all of them. */
function areLinked(rows: Holder[]): boolean {
  const [first, ...others] = rows;
  const reached = new Set(first && identities(first));
  let left = others;
  for (let before = -1; left.length > 0 && before !== left.length; ) {
    before = left.length;
    left = left.filter((row) => {
      const own = identities(row);
      if (!own.some((identity) => reached.has(identity))) return true;
      for (const identity of own) reached.add(identity);
      return false;
    });
  }
  return left.length === 0;
}

function identities({ domain, extra_domains, registry_number, country }: Holder): string[] {
  const domains = [domain, ...(extra_domains ?? [])].map(domainKey);
  return [registryKey(registry_number, country), ...domains].filter((key) => key !== null);
}

/** Whether nothing distinguishes rows with the same domain: neither registry number nor country nor name. */
function areAlike(rows: Holder[]): boolean {
  return rows.every((one, index) => rows.slice(index + 1).every((other) => isAlike(one, other)));
}

function isAlike(one: Holder, other: Holder): boolean {
  const numbers = [one, other].map((row) => registryKey(row.registry_number, row.country));
  if (numbers[0] && numbers[1]) return numbers[0] === numbers[1];
  const countries = [one, other].map(({ country }) => knownCountryCode(country));
  if (countries[0] && countries[1] && countries[0] !== countries[1]) return false;
  return hasCommon(tellingWords(one), tellingWords(other)) || hasCommon(spellings(one), spellings(other));
}

function tellingWords({ name, country }: Holder): string[] {
  return companyWords(name, knownCountryCode(country) ?? '').filter((word) => !affixWords.has(word));
}

function spellings({ name, country }: Holder): string[] {
  return comparableSpellings(name, knownCountryCode(country) ?? '');
}

function hasCommon(ones: string[], others: string[]): boolean {
  return ones.some((one) => others.includes(one));
}
