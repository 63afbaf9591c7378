import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockingKeys, type Company, minSuggestionScore, suggest } from './suggestion.ts';

const company = (fields: Partial<Company>): Company => ({
  name: '',
  domain: null,
  country: 'US',
  registry_number: null,
  ...fields,
});

describe('a suggestion', () => {
  it.each<[string, Partial<Company>, Partial<Company>]>([
    ['same words, plus “Wholesale”', { name: 'Costco' }, { name: 'Costco Wholesale Corp' }],
    ['same words, plus “GROUP”', { name: 'Altria' }, { name: 'ALTRIA GROUP, INC.' }],
    [
      'same words, spelled or ordered differently',
      { name: 'Charles Schwab' },
      { name: 'SCHWAB CHARLES CORP' },
    ],
    ['same words, spelled or ordered differently', { name: 'Acme Mfg' }, { name: 'Acme Manufacturing' }],
    ['one name has the initials of the other', { name: 'IBM' }, { name: 'International Business Machines' }],
    [
      'same words, some of them shortened',
      { name: 'ACADIA PHARMACEUT.' },
      { name: 'ACADIA Pharmaceuticals Inc.' },
    ],
    ['same words, plus “Partners”', { name: 'Tealstead Telecom' }, { name: 'Tealstead Telecom & Partners' }],
    ['same name', { name: 'Acme' }, { name: 'Acme', country: 'DE' }],
    ['different country', { name: 'Acme' }, { name: 'Acme', country: 'DE' }],
    ['similar spelling', { name: 'Wal Mart' }, { name: 'Walmarts' }],
    [
      'same domain, different country',
      { name: 'Acme', domain: 'acme.example' },
      { name: 'Other', domain: 'acme.example', country: 'DE' },
    ],
    ['same name, but more than one company has it', { name: 'First Bancorp' }, { name: 'First Bancorp Inc' }],
  ])('says %s', (reason, account, partnerAccount) => {
    const [one, other] = [company(account), company(partnerAccount)];
    expect(suggest(one, other).reasons).toContain(reason);
    const keys = blockingKeys(other);
    expect(blockingKeys(one).some((key) => keys.includes(key))).toBe(true);
  });

  it('ranks the company above others with a word in common, and is made from the least score on', () => {
    const scoreOf = (name: string) => suggest(company({ name: 'Costco' }), company({ name })).score;
    expect(scoreOf('Costco Wholesale Corp')).toBeGreaterThan(scoreOf('Costa Group Holdings'));
    expect(scoreOf('Costco Wholesale Corp')).toBeGreaterThan(minSuggestionScore);
    expect(scoreOf('Wholesale Foods')).toBeLessThan(minSuggestionScore);
  });

  it('is made for companies of one group, in whatever country', () => {
    const parent = company({ name: 'Acme', domain: 'acme.example' });
    const subsidiary = company({ name: 'Zenit Werke', domain: 'acme.example', country: 'DE' });
    expect(suggest(parent, subsidiary).score).toBeGreaterThan(minSuggestionScore);
  });

  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.constantFrom('Acme Group', 'IBM', 'x'.repeat(10_000), 'a '.repeat(2000), '株式会社アクメ'),
  );
  const companies: fc.Arbitrary<Company> = fc.record({
    name: text,
    domain: fc.option(text),
    extra_domains: fc.array(text, { maxLength: 3 }),
    country: fc.option(fc.constantFrom('DE', 'us', 'x')),
    registry_number: fc.option(text),
  });

  it('of any junk has a score between 0 and 1, and keys that are few, short and storable', () => {
    fc.assert(
      fc.property(companies, companies, (one, other) => {
        const { score, reasons } = suggest(one, other);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        for (const reason of reasons) expect(reason.length).toBeLessThan(300);
        const keys = blockingKeys(one);
        expect(keys.length).toBeLessThanOrEqual(6);
        for (const key of keys) {
          expect(Buffer.byteLength(key)).toBeLessThan(1300);
          expect(Buffer.from(key).toString()).toBe(key);
          expect(key).not.toContain('\u0000');
        }
      }),
    );
  });
});
