import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchLists, type Row } from '../../../test/rules/match-lists.ts';
import { maxHolders } from './choose-matches.ts';

type Fields = Partial<Row>;

const row = (id: string, fields: Fields): Row => ({
  ...{ id, name: 'Acme', domain: null, country: null, registry_number: null },
  ...fields,
});

/** Accounts are a1, a2, … and partner accounts x1, x2, …. A match is written as `a1 x1 name`. */
function matched(accounts: Fields[], partnerAccounts: Fields[]): string[] {
  const matches = matchLists(
    accounts.map((fields, place) => row(`a${place + 1}`, fields)),
    partnerAccounts.map((fields, place) => row(`x${place + 1}`, fields)),
  );
  return [...matches.values()]
    .map((match) => `${match.account_id} ${match.external_id} ${match.kind}`)
    .sort();
}

const us = { country: 'US' };
const toroCorp = { name: 'Toro Corp', ...us };
const toroCo = { name: 'Toro Co', ...us };
const acme = { name: 'Acme', domain: 'acme.example' };

describe('a name', () => {
  it.each<[string, Fields[], Fields[], string[]]>([
    ['that one company of each list has', [toroCorp], [toroCo], ['a1 x1 name']],
    ['that two accounts have', [toroCorp, toroCo], [toroCorp], []],
    ['that two companies of the partner have', [toroCorp], [toroCorp, toroCo], []],
    [
      'that two accounts have which share a domain',
      [
        { ...toroCorp, domain: 'toro.example' },
        { ...toroCo, domain: 'www.toro.example' },
      ],
      [toroCo],
      ['a1 x1 name', 'a2 x1 name'],
    ],
    [
      'that accounts have which are linked in a chain of domains and registry numbers',
      [
        { ...toroCorp, domain: 'toro.example' },
        { ...toroCo, registry_number: 'C 4711' },
        { ...toroCo, registry_number: 'C-4711', domain: 'toro.example' },
      ],
      [toroCo],
      ['a1 x1 name', 'a2 x1 name', 'a3 x1 name'],
    ],
    [
      'that two companies have which a domain tells apart',
      [
        { ...toroCorp, domain: 'one.example' },
        { ...toroCo, domain: 'two.example' },
      ],
      [{ ...toroCo, domain: 'two.example' }, toroCo],
      ['a2 x1 domain'],
    ],
    [
      'of which one spelling is shared, by the spelling that is not',
      [{ name: 'Tech Car', ...us }],
      [
        { name: 'Tech Car', ...us },
        { name: 'Car Tech', ...us },
      ],
      ['a1 x1 name'],
    ],
  ])('%s', (_, accounts, partnerAccounts, expected) => {
    expect(matched(accounts, partnerAccounts)).toEqual(expected);
  });
});

describe('a domain', () => {
  it.each<[string, Fields[], Fields[], string[]]>([
    [
      'of duplicates matches them all',
      [acme, { ...acme, name: 'ACME Inc.' }, { ...acme, name: 'Acme West Region' }],
      [{ ...acme, name: 'Acme Corporation' }],
      ['a1 x1 domain', 'a2 x1 domain', 'a3 x1 domain'],
    ],
    [
      'of a group matches where the country agrees',
      [
        { ...acme, country: 'DE' },
        { ...acme, country: 'FR' },
      ],
      [{ ...acme, name: 'Acme SAS', country: 'FR' }],
      // The name matches both, because each legal form belongs to its country.
      ['a1 x1 domain', 'a2 x1 domain'],
    ],
    [
      'of a group matches only where the country agrees if the names differ',
      [
        { ...acme, name: 'Acme Deutschland', country: 'DE' },
        { ...acme, name: 'Acme France', country: 'FR' },
      ],
      [{ ...acme, name: 'Acme', country: 'FR' }],
      ['a2 x1 domain'],
    ],
    [
      'of companies that differ matches where the name agrees',
      [
        { ...acme, name: 'Zenit' },
        { ...acme, name: 'Mellanox Inc' },
      ],
      [{ ...acme, name: 'mellanox' }],
      ['a2 x1 domain'],
    ],
    [
      'of companies that differ matches none where nothing agrees',
      [
        { ...acme, name: 'Zenit' },
        { ...acme, name: 'Mellanox' },
      ],
      [{ ...acme, name: 'Borealis' }],
      [],
    ],
    [
      'that a group on the partner’s list has goes to the company of the country',
      [{ ...acme, country: 'FR' }],
      [
        { ...acme, name: 'Acme Deutschland', country: 'DE' },
        { ...acme, name: 'Acme France', country: 'FR' },
      ],
      ['a1 x2 domain'],
    ],
    [
      'is told apart by registry numbers',
      [
        { ...acme, name: 'Acme One', country: 'DE', registry_number: 'HRB 4711' },
        { ...acme, name: 'Acme Two', country: 'DE', registry_number: 'HRB 4712' },
      ],
      [{ ...acme, name: 'Acme', country: 'AT' }],
      [],
    ],
  ])('%s', (_, accounts, partnerAccounts, expected) => {
    expect(matched(accounts, partnerAccounts)).toEqual(expected);
  });

  it('with more holders than the limit matches none', () => {
    const many = (count: number) => Array.from({ length: count }, () => acme);
    expect(matched(many(maxHolders), [acme])).toHaveLength(maxHolders);
    expect(matched(many(maxHolders + 1), [acme])).toEqual([]);
    expect(matched([acme], many(maxHolders + 1))).toEqual([]);
  });
});

const fields: fc.Arbitrary<Fields> = fc.record({
  name: fc.constantFrom('Acme Inc', 'Acme Corp', 'Ac Me', 'Acme Tools', 'Tools Acme', 'Zenit'),
  domain: fc.constantFrom('x.example', 'y.example', null),
  extra_domains: fc.constantFrom([], ['y.example']),
  country: fc.constantFrom('US', 'DE', null),
  registry_number: fc.constantFrom('HRB 4711', 'HRB 4712', null),
});
const list = (prefix: string) =>
  fc.array(fields, { maxLength: 6 }).map((rows) => rows.map((one, place) => row(`${prefix}${place}`, one)));

it('the matches do not depend on the order of either list', () => {
  const shuffled = fc
    .tuple(list('a'), list('x'))
    .chain(([accounts, listed]) =>
      fc.tuple(
        fc.constant({ accounts, listed }),
        fc.shuffledSubarray(accounts, { minLength: accounts.length }),
        fc.shuffledSubarray(listed, { minLength: listed.length }),
      ),
    );
  fc.assert(
    fc.property(shuffled, ([{ accounts, listed }, otherAccounts, otherListed]) => {
      const sorted = (matches: ReturnType<typeof matchLists>) =>
        [...matches].sort(([one], [other]) => (one < other ? -1 : 1));
      expect(sorted(matchLists(otherAccounts, otherListed))).toEqual(sorted(matchLists(accounts, listed)));
    }),
  );
});
