import { oneLine } from '../signals/wording.ts';
import { companyWords } from './company-name.ts';
import { abbreviations, affixWords, frequentWords, placeWords } from './company-words.ts';
import { domainKey, type KeyedFact, knownCountryCode } from './matching.ts';
import { suggestionWeights } from './suggestion-weights.ts';

/** The fields that are compared. */
export type Company = Omit<KeyedFact, 'extra_domains'> & { extra_domains?: string[] };

export type Suggestion = { score: number; reasons: string[] };

/** Suggestions with a lower score are not worth a person's time. */
export const minSuggestionScore = 0.05;

const prefixLength = 6;
const maxWordKeys = 3;

/**
 * Two companies are compared if they share a blocking key. A company has at most six: the domain, the most distinctive word
 * in any country, and in the same country two more words, the beginning and the initials.
 */
export function blockingKeys(company: Company): string[] {
  const profile = profileOf(company);
  const { words } = profile;
  const country = profile.country ?? '';
  const letters = [...profile.letters];
  const distinctive = mostDistinctive(words).slice(0, maxWordKeys);
  const domain = domainKey(company.domain);
  return [
    ...new Set([
      ...(domain === null ? [] : [domain]),
      ...distinctive.map((word, index) => (index === 0 ? `word:${word}` : `word:${country}:${word}`)),
      ...(letters.length >= prefixLength
        ? [`start:${country}:${letters.slice(0, prefixLength).join('')}`]
        : []),
      ...[acronymOf(words)].flatMap((acronym) =>
        acronym === null ? [] : [`initials:${country}:${acronym}`],
      ),
    ]),
  ];
}

/** The probability that both are the same company, by weights trained on public lists, with the reasons for and against. */
export function suggest(account: Company, partnerAccount: Company): Suggestion {
  const comparison = compare(account, partnerAccount);
  return { score: scoreOf(comparison), reasons: reasonsOf(comparison, account, partnerAccount) };
}

/** The score alone, because most compared companies are not suggested. */
export function score(account: Company, partnerAccount: Company): number {
  return scoreOf(compare(account, partnerAccount));
}

function scoreOf(comparison: Comparison): number {
  let sum = suggestionWeights.bias;
  for (const [feature, value] of Object.entries(featuresOf(comparison)))
    sum += value * suggestionWeights[feature as Feature];
  return 1 / (1 + Math.exp(-sum));
}

export type Feature = Exclude<keyof typeof suggestionWeights, 'bias'>;

export function features(account: Company, partnerAccount: Company): Record<Feature, number> {
  return featuresOf(compare(account, partnerAccount));
}

type Comparison = ReturnType<typeof compare>;

function compare(account: Company, partnerAccount: Company) {
  const [own, their] = [profileOf(account), profileOf(partnerAccount)];
  const [one, other] = [own.words, their.words];
  const same = pairUp(one, other, isSameWord);
  const shortened = pairUp(same.onlyOne, same.onlyOther, isShortened);
  const [theirDomain] = their.domains;
  return {
    one,
    other,
    shared: same.shared,
    shortened: shortened.shared,
    onlyOne: shortened.onlyOne,
    onlyOther: shortened.onlyOther,
    sameName: own.joined === their.joined && one.length > 0,
    spelling: dice(own, their),
    acronym: isAcronym(one, other) || isAcronym(other, one),
    country: !own.country || !their.country ? null : own.country === their.country ? 'same' : 'other',
    domain:
      !theirDomain || own.domains.length === 0 ? null : own.domains.includes(theirDomain) ? 'same' : 'other',
  };
}

/** Pairs each word with an equal one, and returns the rest of both sides. */
function pairUp(one: string[], other: string[], isEqual: (one: string, other: string) => boolean) {
  const onlyOther = [...other];
  const shared: string[] = [];
  const onlyOne = one.filter((word) => {
    const index = onlyOther.findIndex((candidate) => isEqual(word, candidate));
    if (index >= 0) shared.push(...onlyOther.splice(index, 1));
    return index < 0;
  });
  return { shared, onlyOne, onlyOther };
}

function featuresOf(comparison: Comparison): Record<Feature, number> {
  const { one, other, shared, shortened, onlyOne, onlyOther } = comparison;
  const [ownWeight, theirWeight] = [weightOf(one), weightOf(other)];
  const sharedWeight = weightOf(shared) + weightOf(shortened);
  const is = (holds: boolean) => (holds ? 1 : 0);
  return {
    words_of_shorter: Math.min(1, sharedWeight / Math.max(Math.min(ownWeight, theirWeight), 0.1)),
    rare_word: Math.max(0, ...shared.map(wordWeight)),
    shortened_word: is(shortened.length > 0),
    first_word: is(one.length > 0 && other.length > 0 && isSameWord(one[0] ?? '', other[0] ?? '')),
    spelling: comparison.spelling,
    only_affixes: is(shared.length > 0 && [...onlyOne, ...onlyOther].every((word) => affixWords.has(word))),
    words_left_on_both: is(onlyOne.length > 0 && onlyOther.length > 0),
    acronym: is(comparison.acronym),
    other_country: is(comparison.country === 'other'),
    same_domain: is(comparison.domain === 'same'),
    other_domain: is(comparison.domain === 'other'),
  };
}

function reasonsOf(comparison: Comparison, account: Company, partnerAccount: Company): string[] {
  const { country, domain } = comparison;
  const name = nameReason(comparison, account, partnerAccount);
  const sameDomain = country === 'other' ? 'same domain, different country' : 'same domain';
  return [
    // Different companies with the same domain are probably a group.
    ...(domain === 'same' ? [sameDomain, 'probably the same group'] : []),
    ...(name === null ? [] : [name]),
    ...(country === 'other' && domain !== 'same' ? ['different country'] : []),
    ...(domain === 'other' ? ['different domains'] : []),
  ];
}

function nameReason(comparison: Comparison, account: Company, partnerAccount: Company): string | null {
  const { shared, shortened, onlyOne, onlyOther } = comparison;
  if (comparison.sameName)
    return comparison.country === 'same' ? 'same name, but more than one company has it' : 'same name';
  const added = [...shown(onlyOne, account.name), ...shown(onlyOther, partnerAccount.name)].filter(
    (word) => /[\p{L}\p{N}]/u.test(word), // not “&”
  );
  if (added.length === 0 && shortened.length > 0) return 'same words, some of them shortened';
  if (added.length === 0 && shared.length > 0) return 'same words, spelled or ordered differently';
  if (shared.length > 0 && (onlyOne.length === 0 || onlyOther.length === 0))
    return `same words, plus ${list(added)}`;
  if (comparison.acronym) return 'one name has the initials of the other';
  if (shared.length > 0) return `both have ${list(shown(shared, partnerAccount.name))} in the name`;
  if (comparison.spelling >= 0.5) return 'similar spelling';
  return shortened.length > 0 ? 'one name begins like the other' : null;
}

type Profile = {
  /** Folded, without the legal form, with each word in a common form for all its abbreviations. */
  words: string[];
  /** The name as written, without spaces. */
  joined: string;
  letters: string;
  pairs?: number[];
  country: string | null;
  domains: string[];
};

/** A company is compared with many others. */
const profiles = new WeakMap<Company, Profile>();

function profileOf(company: Company): Profile {
  const known = profiles.get(company);
  if (known) return known;
  const country = knownCountryCode(company.country);
  const written = companyWords(company.name, country ?? '');
  const words = written.map((word) => abbreviations.get(word) ?? word);
  const letters = words.join('');
  const domains = [company.domain, ...(company.extra_domains ?? [])].flatMap((one) => domainKey(one) ?? []);
  const profile = { words, joined: written.join(''), letters, country, domains };
  profiles.set(company, profile);
  return profile;
}

/** Rare words before frequent ones, long before short. */
function mostDistinctive(words: string[]): string[] {
  const rare = words.filter((word) => !frequentWords.has(word) && [...word].length > 1);
  return [...(rare.length > 0 ? rare : words)].sort(
    (a, b) => weightOf([b]) - weightOf([a]) || b.length - a.length || (a < b ? -1 : 1),
  );
}

function weightOf(words: string[]): number {
  return words.reduce((sum, word) => sum + wordWeight(word), 0);
}

function wordWeight(word: string): number {
  if (affixWords.has(word)) return 0.15;
  if (placeWords.has(word)) return 0.3;
  return frequentWords.has(word) ? 0.4 : Math.min(1, 0.4 + 0.15 * word.length);
}

/** Equal, or one typo apart if the words are long enough. */
function isSameWord(one: string, other: string): boolean {
  if (one === other) return true;
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  if (shorter.length < 5 || longer.length - shorter.length > 1) return false;
  let start = 0;
  while (start < shorter.length && shorter[start] === longer[start]) start++;
  const rest = shorter.length === longer.length ? start + 1 : start;
  return shorter.slice(rest) === longer.slice(start + 1);
}

/** One is the beginning of the other: Pharmaceut. for Pharmaceuticals. */
function isShortened(one: string, other: string): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  return shorter.length >= 3 && longer.startsWith(shorter);
}

function acronymOf(words: string[]): string | null {
  const significant = words.filter((word) => word !== 'and' && word !== 'of');
  const [first = ''] = significant;
  if (significant.length === 1) return first.length >= 2 && first.length <= 5 ? first : null;
  return significant.length >= 3 ? significant.map((word) => [...word][0]).join('') : null;
}

function isAcronym(short: string[], long: string[]): boolean {
  return short.length === 1 && long.length >= 3 && short[0] === acronymOf(long);
}

/** The share of letter pairs that two spellings have in common. */
function dice(one: Profile, other: Profile): number {
  const [a, b] = [pairsOf(one), pairsOf(other)];
  if (a.length === 0 || b.length === 0) return one.letters === other.letters ? 1 : 0;
  let common = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const difference = (a[i] as number) - (b[j] as number);
    if (difference === 0) common++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return (2 * common) / (a.length + b.length);
}

/** Each pair of letters as a number, sorted. */
function pairsOf(profile: Profile): number[] {
  if (profile.pairs) return profile.pairs;
  const pairs: number[] = [];
  for (let i = 1; i < profile.letters.length; i++)
    pairs.push(profile.letters.charCodeAt(i - 1) * 0x10000 + profile.letters.charCodeAt(i));
  profile.pairs = pairs.sort((a, b) => a - b);
  return pairs;
}

const maxShownWords = 4;

/** Words as their owner writes them, if that can be determined. */
function shown(words: string[], name: string): string[] {
  const written = new Map(
    name.split(/[\s,/()-]+/).map((word) => {
      const [folded = ''] = companyWords(word, '');
      return [abbreviations.get(folded) ?? folded, word.replace(/[.,;:]+$/, '')] as const;
    }),
  );
  return words.slice(0, maxShownWords).map((word) => oneLine(written.get(word) ?? word, 40));
}

function list(words: string[]): string {
  const quoted = words.map((word) => `“${word}”`);
  const last = quoted.pop() ?? '';
  return quoted.length > 0 ? `${quoted.join(', ')} and ${last}` : last;
}
