import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockingKeys, type Company, suggest } from './suggestion.ts';

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
    ['similar spelling', { name: 'Wal Mart' }, { name: 'Walmarts' }],
    [
      'same domain, other country',
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
