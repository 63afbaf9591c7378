import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestMatch } from '../../../test/rules/best-match.ts';
import { type MatchKind, matchKindTable } from '../../vocabulary.ts';
import { accountKeys, type KeyedFact, partnerAccountKeys } from './matching.ts';

const fact = (fields: Partial<KeyedFact>): KeyedFact => ({
  name: '',
  domain: null,
  extra_domains: [],
  country: null,
  registry_number: null,
  ...fields,
});

const match = (account: Partial<KeyedFact>, partnerAccount: Partial<KeyedFact>) =>
  bestMatch(accountKeys(fact(account)), partnerAccountKeys(fact(partnerAccount)));

describe('pairs that match', () => {
  it.each<[string, MatchKind, string, Partial<KeyedFact>, Partial<KeyedFact>]>([
    [
      'a registry number apart from spaces, punctuation and case',
      'registry_number',
      'registry:DE:HRB12345',
      { registry_number: 'HRB 12345', country: 'DE' },
      { registry_number: 'hrb-12.345', country: 'de' },
    ],
    [
      'a registry number with leading zeros',
      'registry_number',
      'registry:GB:00445790',
      { registry_number: '00445790', country: 'GB' },
      { registry_number: '00 445 790', country: 'GB' },
    ],
    [
      'a domain, in any country',
      'domain',
      'domain:acme.example',
      { domain: 'https://www.Acme.example/path', country: 'DE' },
      { domain: 'sales@acme.example', country: 'US' },
    ],
    [
      'an international domain in both spellings',
      'domain',
      'domain:xn--mnchen-3ya.de',
      { domain: 'MÜNCHEN.de' },
      { domain: 'xn--mnchen-3ya.de' },
    ],
    [
      'an extra domain',
      'extra_domain',
      'domain:acme.co.uk',
      { domain: 'acme.com', extra_domains: ['acme.fr', 'WWW.ACME.CO.UK'] },
      { domain: 'shop.acme.co.uk' },
    ],
    [
      'an extra domain of an account on web-mail',
      'extra_domain',
      'domain:acme.fr',
      { domain: 'gmail.com', extra_domains: ['acme.fr'] },
      { domain: 'acme.fr' },
    ],
    [
      'a name apart from its legal form',
      'name',
      'name:DE:acme',
      { name: 'ACME GmbH', country: 'DE' },
      { name: 'Acmé AG', country: 'de' },
    ],
    [
      'a name where the domains differ',
      'name',
      'name:US:acme',
      { name: 'Acme Inc', country: 'US', domain: 'acme.com' },
      { name: 'Acme', country: 'US', domain: 'acme.net' },
    ],
  ])('%s', (_, kind, key, account, partnerAccount) => {
    expect(match(account, partnerAccount)).toEqual({
      kind,
      key,
      confidence: matchKindTable[kind].confidence,
    });
  });
});

describe('pairs that do not match', () => {
  it.each<[string, Partial<KeyedFact>, Partial<KeyedFact>]>([
    [
      'a company and its holding',
      { name: 'Acme Inc', country: 'US' },
      { name: 'Acme Holdings Inc', country: 'US' },
    ],
    ['one name in two countries', { name: 'Acme', country: 'US' }, { name: 'Acme', country: 'CA' }],
    ['one name without a country', { name: 'Acme' }, { name: 'Acme' }],
    ['one name in an unknown country', { name: 'Acme', country: 'ZZ' }, { name: 'Acme', country: 'ZZ' }],
    ['one name in no country', { name: 'Acme', country: 'Germany' }, { name: 'Acme', country: 'Germany' }],
    ['placeholder names', { name: 'Unknown', country: 'US' }, { name: 'Unknown', country: 'US' }],
    ['gmail', { domain: 'gmail.com' }, { domain: 'gmail.com' }],
    ['web-mail in an e-mail address', { domain: 'a@yahoo.co.uk' }, { domain: 'b@mail.yahoo.co.uk' }],
    ['web-mail as an extra domain', { extra_domains: ['outlook.com'] }, { domain: 'outlook.com' }],
    ['throw-away mail', { domain: 'mailinator.com' }, { domain: 'mailinator.com' }],
    ['profile pages', { domain: 'linkedin.com/company/a' }, { domain: 'linkedin.com/company/b' }],
    ['a public suffix', { domain: 'co.uk' }, { domain: 'co.uk' }],
    ['neighbours under a public suffix', { domain: 'a.co.uk' }, { domain: 'b.co.uk' }],
    ['neighbours under a private suffix', { domain: 'acme.github.io' }, { domain: 'other.github.io' }],
    ['an IP address', { domain: '10.0.0.1' }, { domain: '10.0.0.1' }],
    [
      'registry numbers of two countries',
      { registry_number: '00445790', country: 'GB' },
      { registry_number: '00445790', country: 'IE' },
    ],
    ['a registry number without a country', { registry_number: '00445790' }, { registry_number: '00445790' }],
    [
      'registry numbers that differ in leading zeros',
      { registry_number: '00445790', country: 'GB' },
      { registry_number: '445790', country: 'GB' },
    ],
    [
      'a name that spells the key of a registry number',
      { name: 'registry DE HRB12345', country: 'DE' },
      { registry_number: 'HRB12345', country: 'DE' },
    ],
    ['nothing at all', {}, {}],
  ])('%s', (_, account, partnerAccount) => {
    expect(match(account, partnerAccount)).toBeNull();
  });

  it.each([
    '',
    '   ',
    '-',
    '0',
    '0000',
    'HRB 0000',
    'N/A',
    'unknown',
    'none',
    'Acme GmbH',
    '1',
    '123',
    '123456',
    '987654',
    '9999',
    'xxxx',
    'TEST1',
    'XX-123',
    '\ud800',
    '12'.repeat(40),
  ])('the placeholder %j as a registry number', (registry_number) => {
    expect(accountKeys(fact({ registry_number, country: 'DE' }))).toEqual([]);
  });
});

describe('the match of a pair', () => {
  const account = fact({
    name: 'Acme GmbH',
    domain: 'acme.de',
    extra_domains: ['acme.com', 'acme.de', 'acme.com'],
    country: 'DE',
    registry_number: 'HRB 77',
  });
  const other = { name: 'Other', domain: 'other.example', registry_number: null };

  it('names the strongest kind that holds, whatever the order of the keys', () => {
    const keys = accountKeys(account).reverse();
    const kindFor = (fields: Partial<KeyedFact>) =>
      bestMatch(keys, partnerAccountKeys({ ...account, ...fields }).reverse())?.kind ?? null;
    expect(kindFor({})).toBe('registry_number');
    expect(kindFor({ registry_number: null })).toBe('domain');
    expect(kindFor({ registry_number: null, domain: 'acme.com' })).toBe('extra_domain');
    expect(kindFor({ registry_number: null, domain: null })).toBe('name');
    expect(kindFor(other)).toBeNull();
  });
});

describe('keys', () => {
  it('list each key string once, an extra domain that repeats the domain as the domain', () => {
    const keys = accountKeys(
      fact({
        domain: 'acme.de',
        extra_domains: ['acme.com', 'www.acme.de', 'ACME.com', 'gmail.com', 'junk'],
      }),
    );
    expect(keys).toEqual([
      { kind: 'domain', key: 'domain:acme.de' },
      { kind: 'extra_domain', key: 'domain:acme.com' },
    ]);
  });

  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 500 }),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
    fc.constantFrom('Acme GmbH', 'acme.de', 'HRB 12345', '株式会社アクメ', 'x'.repeat(10_000)),
  );
  const facts: fc.Arbitrary<KeyedFact> = fc.record({
    name: text,
    domain: fc.option(text),
    extra_domains: fc.array(text, { maxLength: 5 }),
    country: fc.option(fc.oneof(text, fc.constantFrom('DE', 'us', 'JP'))),
    registry_number: fc.option(text),
  });

  it('are the same on both sides but for extra domains', () => {
    fc.assert(
      fc.property(facts, (account) => {
        const own = accountKeys(account).filter(({ kind }) => kind !== 'extra_domain');
        expect(partnerAccountKeys(account)).toEqual(own);
      }),
    );
  });

  it('of any junk are few, short enough for an index, and storable as UTF-8 text', () => {
    fc.assert(
      fc.property(facts, (account) => {
        const keys = accountKeys(account);
        expect(keys.length).toBeLessThanOrEqual(5 + account.extra_domains.length);
        for (const { key } of keys) {
          expect(Buffer.byteLength(key)).toBeLessThan(1200);
          expect(Buffer.from(key).toString()).toBe(key);
          expect(key).not.toContain('\u0000');
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('of one fact match its own, by the strongest of its keys', () => {
    fc.assert(
      fc.property(facts, (account) => {
        const keys = accountKeys(account);
        expect(bestMatch(keys, keys)?.kind).toBe(keys[0]?.kind);
      }),
    );
  });
});
