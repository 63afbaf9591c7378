import { type MatchKind, matchKindTable } from '../../vocabulary.ts';
import { oneLine } from '../signals/wording.ts';
import { comparableSpellings } from './company-name.ts';
import { normalizeDomain } from './domain-name.ts';
import { sharedDomains } from './webmail-domains.ts';

export type KeyedFact = {
  name: string;
  domain: string | null;
  extra_domains: string[];
  country: string | null;
  registry_number: string | null;
};

/** An account and a partner account match if they have a key string in common. */
export type MatchKey = { kind: MatchKind; key: string };

/** Strongest first, each key string once. Extra domains and domains share one key space. */
export function accountKeys(account: KeyedFact): MatchKey[] {
  const { name, domain, extra_domains, country, registry_number } = account;
  const keys = new Map<string, MatchKind>();
  const add = (kind: MatchKind, key: string | null) => {
    if (key !== null && !keys.has(key)) keys.set(key, kind);
  };
  add('registry_number', registryKey(registry_number, country));
  add('domain', domainKey(domain));
  for (const extraDomain of extra_domains) add('extra_domain', domainKey(extraDomain));
  for (const key of nameKeys(name, country)) add('name', key);
  return [...keys].map(([key, kind]) => ({ kind, key }));
}

export function partnerAccountKeys(account: Omit<KeyedFact, 'extra_domains'>): MatchKey[] {
  return accountKeys({ ...account, extra_domains: [] });
}

/** For example "same domain: harbourmills.example". Never shows the key itself, which is internal. */
export function matchInWords({ kind, key }: MatchKey, maxLength: number): string {
  if (kind === 'confirmed') return 'confirmed by a person';
  const { words } = matchKindTable[kind];
  // The folded name is not fit to show, and the reader knows the name.
  if (kind === 'name') return `same ${words}`;
  return `same ${words}: ${oneLine(key.slice(key.lastIndexOf(':') + 1), maxLength)}`;
}

export function domainKey(input: string | null): string | null {
  const domain = input === null ? null : normalizeDomain(input);
  return domain === null || sharedDomains.has(domain) ? null : `domain:${domain}`;
}

function nameKeys(name: string, countryInput: string | null): string[] {
  const country = knownCountryCode(countryInput);
  return country === null ? [] : comparableSpellings(name, country).map((name) => `name:${country}:${name}`);
}

const maxRegistryNumberLength = 64;

export function registryKey(input: string | null, countryInput: string | null): string | null {
  const country = knownCountryCode(countryInput);
  if (country === null || input === null || input.length > maxRegistryNumberLength) return null;
  // Leading zeros stay. Some registers issue numbers of fixed width; in others, joining 0123 with 123 would be a false match
  // at the highest confidence.
  const number = input
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return number.length > maxRegistryNumberLength || isPlaceholder(number)
    ? null
    : `registry:${country}:${number}`;
}

const countedUp = '01234567890123456789';
const countedDown = '98765432109876543210';

/** Registry numbers always contain a digit above 0, so anything else is a placeholder. */
function isPlaceholder(number: string): boolean {
  return (
    number.length < 4 ||
    !/[1-9]/.test(number) ||
    /^(.)\1*$/u.test(number) ||
    countedUp.includes(number) ||
    countedDown.includes(number) ||
    /^(?:TEST|DEMO|DUMMY|SAMPLE|TEMP|UNKNOWN|XX+)\d*$/.test(number)
  );
}

/** ISO 3166-1 alpha-2. XX and ZZ are commonly used for "unknown". */
export function knownCountryCode(input: string | null): string | null {
  const country = input?.trim().toUpperCase() ?? '';
  return /^[A-Z]{2}$/.test(country) && country !== 'XX' && country !== 'ZZ' ? country : null;
}
