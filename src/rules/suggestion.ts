import { companyWords } from './company-name.ts';
import { abbreviations, affixWords, frequentWords, placeWords } from './company-words.ts';
import { countryCode, domainKey, type KeyedFact } from './matching.ts';
import { suggestionWeights } from './suggestion-weights.ts';
import { oneLine } from './wording.ts';

/** What is compared of a company on either list. */
export type Company = Omit<KeyedFact, 'extra_domains'> & { extra_domains?: string[] };

export type Suggestion = { score: number; reasons: string[] };

/** A candidate with a lower score is not worth a person's time. */
export const minSuggestionScore = 0.05;

const prefixLength = 6;
const maxWordKeys = 3;

/**
 * Two companies are compared if a key of the one equals a key of the other. At most six: the domain, the most
 * distinctive word in any country, two more words, the beginning and the initials in the same country.
 */
export function blockingKeys(company: Company): string[] {
  const country = countryCode(company.country) ?? '';
  const words = wordsOf(company);
  const letters = [...words.join('')];
  const distinctive = mostDistinctive(words).slice(0, maxWordKeys);
  const domain = domainKey(company.domain);
  return [
    ...new Set([
      ...(domain === null ? [] : [domain]),
      ...distinctive.map((word, place) => (place === 0 ? `word:${word}` : `word:${country}:${word}`)),
      ...(letters.length >= prefixLength
        ? [`start:${country}:${letters.slice(0, prefixLength).join('')}`]
        : []),
      ...[acronymOf(words)].flatMap((acronym) =>
        acronym === null ? [] : [`initials:${country}:${acronym}`],
      ),
    ]),
  ];
}

/** How likely the two are one company, by the weights that public lists taught, and what speaks for and against it. */
export function suggest(account: Company, partnerAccount: Company): Suggestion {
  const comparison = compare(account, partnerAccount);
  let sum = suggestionWeights.bias;
  for (const [feature, value] of Object.entries(featuresOf(comparison)))
    sum += value * suggestionWeights[feature as Feature];
  return { score: 1 / (1 + Math.exp(-sum)), reasons: reasonsOf(comparison, account, partnerAccount) };
}

export type Feature = Exclude<keyof typeof suggestionWeights, 'bias'>;

export function features(account: Company, partnerAccount: Company): Record<Feature, number> {
  return featuresOf(compare(account, partnerAccount));
}

type Comparison = ReturnType<typeof compare>;

function compare(account: Company, partnerAccount: Company) {
  const [one, other] = [wordsOf(account), wordsOf(partnerAccount)];
  const same = pairUp(one, other, isSameWord);
  const shortened = pairUp(same.onlyOne, same.onlyOther, isShortened);
  const [ownCountry, theirCountry] = [countryCode(account.country), countryCode(partnerAccount.country)];
  const ownDomains = [account.domain, ...(account.extra_domains ?? [])].flatMap((d) => domainKey(d) ?? []);
  const theirDomain = domainKey(partnerAccount.domain);
  return {
    one,
    other,
    shared: same.shared,
    shortened: shortened.shared,
    onlyOne: shortened.onlyOne,
    onlyOther: shortened.onlyOther,
    sameName: joined(account) === joined(partnerAccount) && one.length > 0,
    acronym: isAcronym(one, other) || isAcronym(other, one),
    country: !ownCountry || !theirCountry ? null : ownCountry === theirCountry ? 'same' : 'other',
    domain:
      !theirDomain || ownDomains.length === 0 ? null : ownDomains.includes(theirDomain) ? 'same' : 'other',
  };
}

/** Each word with one that it equals, and what is left over on either side. */
function pairUp(one: string[], other: string[], isEqual: (one: string, other: string) => boolean) {
  const onlyOther = [...other];
  const shared: string[] = [];
  const onlyOne = one.filter((word) => {
    const place = onlyOther.findIndex((candidate) => isEqual(word, candidate));
    if (place >= 0) shared.push(...onlyOther.splice(place, 1));
    return place < 0;
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
    spelling: dice(one.join(''), other.join('')),
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
  const sameDomain = country === 'other' ? 'same domain, other country' : 'same domain';
  return [
    // One domain for companies that differ is how groups of companies look.
    ...(domain === 'same' ? [sameDomain, 'probably the same group'] : []),
    ...(name === null ? [] : [name]),
    ...(country === 'other' && domain !== 'same' ? ['other country'] : []),
    ...(domain === 'other' ? ['different domains'] : []),
  ];
}

function nameReason(comparison: Comparison, account: Company, partnerAccount: Company): string | null {
  const { one, other, shared, shortened, onlyOne, onlyOther } = comparison;
  if (comparison.sameName)
    return comparison.country === 'same' ? 'same name, but more than one company has it' : 'same name';
  const added = [...shown(onlyOne, account.name), ...shown(onlyOther, partnerAccount.name)];
  if (added.length === 0 && shortened.length > 0) return 'same words, some of them shortened';
  if (added.length === 0 && shared.length > 0) return 'same words, spelled or ordered differently';
  if (shared.length > 0 && (onlyOne.length === 0 || onlyOther.length === 0))
    return `same words, plus ${list(added)}`;
  if (comparison.acronym) return 'one name has the initials of the other';
  if (shared.length > 0) return `both have ${list(shown(shared, partnerAccount.name))} in the name`;
  if (dice(one.join(''), other.join('')) >= 0.5) return 'similar spelling';
  return shortened.length > 0 ? 'one name begins like the other' : null;
}

/** Folded, legal form off, and each word in the form that all its abbreviations share. */
function wordsOf({ name, country }: Company): string[] {
  return companyWords(name, countryCode(country) ?? '').map((word) => abbreviations.get(word) ?? word);
}

function joined({ name, country }: Company): string {
  return companyWords(name, countryCode(country) ?? '').join('');
}

/** The words that tell most, first: rare before frequent, long before short. */
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

/** Equal, or one typing mistake apart in words long enough to tell. */
function isSameWord(one: string, other: string): boolean {
  if (one === other) return true;
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  if (shorter.length < 5 || longer.length - shorter.length > 1) return false;
  let start = 0;
  while (start < shorter.length && shorter[start] === longer[start]) start++;
  const rest = shorter.length === longer.length ? start + 1 : start;
  return shorter.slice(rest) === longer.slice(start + 1);
}

/** One begins as the other does and stops: Pharmaceut. for Pharmaceuticals. */
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
function dice(one: string, other: string): number {
  const pairs = (text: string) => Array.from({ length: text.length - 1 }, (_, i) => text.slice(i, i + 2));
  if (one.length < 2 || other.length < 2) return one === other ? 1 : 0;
  const left = pairs(other);
  const total = left.length + one.length - 1;
  let common = 0;
  for (const pair of pairs(one)) {
    const place = left.indexOf(pair);
    if (place < 0) continue;
    left.splice(place, 1);
    common++;
  }
  return (2 * common) / total;
}

const maxShownWords = 4;

/** Words as their owner writes them, where they can be told. */
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
