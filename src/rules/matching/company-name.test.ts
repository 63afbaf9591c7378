import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparableCompanyName, comparableSpellings } from './company-name.ts';

describe('comparableCompanyName', () => {
  it.each([
    ['US', 'Acme', 'acme'],
    ['US', 'Acme, Inc.', 'acme'],
    ['US', 'ACME INCORPORATED', 'acme'],
    ['US', 'Acme L.L.C.', 'acme'],
    ['US', 'Acme Corp.', 'acme'],
    ['US', 'The Acme Company', 'acme'],
    ['US', 'Acme Company, The', 'acme'],
    ['US', 'Acme Co., Ltd.', 'acme'],
    ['US', 'Acme™ LLC', 'acme'],
    ['GB', 'Acme Limited', 'acme'],
    ['GB', 'Acme P.L.C.', 'acme'],
    ['DE', 'Acme GmbH', 'acme'],
    ['DE', 'Acme GmbH & Co. KG', 'acme'],
    ['DE', 'Acme GmbH&Co.KG', 'acme'],
    ['US', 'Acme GmbH und Co. KG', 'acme'],
    ['DE', 'Acme SE & Co. KGaA', 'acme'],
    ['DE', 'Acme UG (haftungsbeschränkt)', 'acme'],
    ['DE', 'Acme UG (haftungsbeschränkt) & Co. KG', 'acme'],
    ['DE', 'Acme AG', 'acme'],
    ['DE', 'Acme SE', 'acme'],
    ['DE', 'Acme OHG', 'acme'],
    ['DE', 'Acme e.K.', 'acme'],
    ['FR', 'Acme S.A.', 'acme'],
    ['FR', 'Acme S. A.', 'acme'],
    ['FR', 'Acme SAS', 'acme'],
    ['FR', 'Acme SARL', 'acme'],
    ['LU', 'Acme S.à r.l.', 'acme'],
    ['CH', 'Acme Sàrl', 'acme'],
    ['IT', 'Acme S.r.l.', 'acme'],
    ['IT', 'Acme S.p.A.', 'acme'],
    ['NL', 'Acme B.V.', 'acme'],
    ['BE', 'Acme N.V./S.A.', 'acme'],
    ['SE', 'Acme AB', 'acme'],
    ['NO', 'Acme AS', 'acme'],
    ['NO', 'Acme ASA', 'acme'],
    ['DK', 'Acme A/S', 'acme'],
    ['DK', 'Acme ApS', 'acme'],
    ['FI', 'Acme Oy Ab', 'acme'],
    ['FI', 'Acme Oyj', 'acme'],
    ['HU', 'Acme Kft.', 'acme'],
    ['HU', 'Acme Zrt.', 'acme'],
    ['CZ', 'Acme s.r.o.', 'acme'],
    ['CZ', 'Acme, spol. s r.o.', 'acme'],
    ['CZ', 'Acme a.s.', 'acme'],
    ['PL', 'Acme Sp. z o.o.', 'acme'],
    ['TR', 'Acme A.Ş.', 'acme'],
    ['MX', 'Acme S.A. de C.V.', 'acme'],
    ['MX', 'Acme S. de R.L. de C.V.', 'acme'],
    ['BR', 'Acme Ltda.', 'acme'],
    ['AU', 'Acme (Pty) Ltd', 'acme'],
    ['SG', 'Acme Pte. Ltd.', 'acme'],
    ['IN', 'Acme Private Limited', 'acme'],
    ['MY', 'Acme Sdn. Bhd.', 'acme'],
    ['JP', 'Acme K.K.', 'acme'],
    ['JP', '株式会社アクメ', 'アクメ'],
    ['JP', 'アクメ株式会社', 'アクメ'],
    ['JP', '㈱ｱｸﾒ', 'アクメ'],
    ['CN', '华为技术有限公司', '华为技术'],
    ['KR', '(주)아크메', '아크메'],
    ['RU', 'ООО «Ромашка»', 'ромашка'],
    ['RU', 'ПАО Ромашка', 'ромашка'],
    ['ID', 'PT Acme Tbk', 'acme'],
    ['PL', 'Acme spółka z o.o.', 'acme'],
    ['PL', 'Acme spółka z ograniczoną odpowiedzialnością', 'acme'],
    ['KZ', 'Joint Stock Company Acme', 'acme'],
    ['KZ', 'Acme Joint Stock Co', 'acme'],
    ['RU', 'PJSC Acme', 'acme'],
    ['GB', 'Acme Public Ltd Co', 'acme'],
    ['FI', 'Oy Acme Ab', 'acme'],
    ['FI', 'Ab Acme Oy', 'acme'],
    ['FI', 'Acme Oyj Abp', 'acme'],
    ['SE', 'Acme AB (publ)', 'acme'],
    ['SE', 'AB Acme', 'acme'],
    ['MY', 'Acme Berhad', 'acme'],
    ['US', 'Acme, National Association', 'acme'],
    ['US', '3M Company', '3m'],
    ['US', 'HP Inc.', 'hp'],
    ['US', 'F5, Inc.', 'f5'],
    ['CA', 'Acme Gold+Silver Corp.', 'acme gold and silver'],
    ['US', 'Bed Bath + Beyond', 'bed bath and beyond'],
    ['US', 'Johnson & Johnson', 'johnson and johnson'],
    ['US', 'Johnson &amp; Johnson', 'johnson and johnson'],
    ['DE', 'Müller und Söhne', 'muller and sohne'],
    ['FR', 'Crème et Café', 'creme and cafe'],
    ['DE', 'Weiß Straßenbau', 'weiss strassenbau'],
    ['DK', 'Ærø Øl', 'aero ol'],
    ['PL', 'Łódź Đakovo', 'lodz dakovo'],
    ['TR', 'IŞIK', 'isik'],
    ['US', "McDonald's", 'mcdonalds'],
    ['US', 'McDonald´s', 'mcdonalds'],
    ['US', 'Sunset Und', 'sunset und'],
    ['US', 'ET Planet', 'et planet'],
    ['US', 'J. P. Morgan', 'jp morgan'],
    ['US', 'J.P. Morgan', 'jp morgan'],
    ['US', 'Coca-Cola', 'coca cola'],
    ['FR', 'Canal+', 'canal plus'],
    ['US', 'Ac\u00adme\u0000\tTools', 'acme tools'],
  ])('in %s: %s → %s', (country, name, comparable) => {
    expect(comparableCompanyName(name, country)).toBe(comparable);
  });

  it.each([
    ['spacing', 'US', "O'Reilly Automotive", 'O Reilly Automotive Inc'],
    ['spacing', 'US', 'Fed Ex', 'FedEx Corp'],
    ['word order', 'US', 'Charles Schwab', 'SCHWAB CHARLES CORP'],
    ['abbreviations', 'US', 'Virco Manufacturing', 'VIRCO MFG CORPORATION'],
    ['abbreviations', 'CA', 'MAGNA INTL INC.', 'Magna International, Inc.'],
    [
      'a legal form inside',
      'US',
      'Thayer Ventures Acquisition Corporation II',
      'Thayer Ventures Acquisition Corp II',
    ],
    ['an “and” inside', 'US', 'Procter & Gamble', 'Procter Gamble Co'],
  ])('compares names apart from %s', (_, country, one, other) => {
    const others = comparableSpellings(other, country);
    expect(comparableSpellings(one, country).some((spelling) => others.includes(spelling))).toBe(true);
  });

  it('reads & Co, and Company and & Co. KG as one', () => {
    const names = ['Brown & Co', 'Brown and Company', 'Brown & Co. KG'];
    expect(new Set(names.map((name) => comparableCompanyName(name, 'DE'))).size).toBe(1);
  });

  it.each([
    ['a holding is another company', 'US', 'Acme Holdings Inc', 'Acme Inc'],
    ['a group is another company', 'US', 'Acme Group Inc', 'Acme Inc'],
    ['a legal form counts only at the end', 'US', 'Inc Magazine', 'Magazine'],
    ['a legal form counts only as a whole word', 'DE', 'Verlag', 'Verl AG'],
    ['& Co names partners', 'GB', 'Brown & Co Ltd', 'Brown Ltd'],
    ['short names are not alike', 'US', 'HP', 'HPE'],
    ['Ag is agriculture in the US', 'US', 'Heartland Ag', 'Heartland'],
    ['a spa is no S.p.A. in Britain', 'GB', 'Serenity Spa', 'Serenity'],
    ['SA is South Africa there', 'ZA', 'Toyota SA', 'Toyota'],
    ['a plus sign tells names apart', 'FR', 'Canal+', 'Canal'],
    ['kana with and without a voicing mark are other letters', 'JP', 'カラス株式会社', 'ガラス株式会社'],
    ['й is no accented и', 'RU', 'ООО Зайка', 'ООО Заика'],
    ['near spellings are other names', 'US', 'Acme Tool', 'Acme Tools'],
  ])('keeps apart what differs: %s', (_, country, one, other) => {
    const [a, b] = [comparableCompanyName(one, country), comparableCompanyName(other, country)];
    expect(a).not.toBeNull();
    expect(b).not.toBeNull();
    expect(a).not.toBe(b);
    const others = comparableSpellings(other, country);
    expect(comparableSpellings(one, country).filter((spelling) => others.includes(spelling))).toEqual([]);
  });

  it.each([
    '',
    ' ',
    '---',
    'AB',
    'IT',
    '11',
    'xx',
    'Inc.',
    'The Company',
    'The Limited',
    'GmbH & Co. KG',
    'Test',
    'test account 2',
    'Unknown',
    'N/A',
    'n. a.',
    'None',
    'No Company',
    'DO NOT USE',
    'Unbekannt',
    'Holding GmbH',
    '12345',
    'xxxxx',
    '株式会社',
    '\ud800\udbff',
    '\u0000\u0001\u0002',
    '🚀🚀🚀',
  ])('finds nothing to compare in %j', (name) => {
    expect(comparableCompanyName(name, 'DE')).toBeNull();
  });

  it('drops a name of 10,000 characters instead of cutting it to one that another company could have', () => {
    expect(comparableCompanyName(`Acme ${'Tools '.repeat(2000)}`, 'DE')).toBeNull();
  });

  const countries = fc.constantFrom('US', 'DE', 'FR', 'IT', 'CZ', 'DK', 'EE', 'JP', 'KR', 'RU', 'TR', 'ZZ');
  const pieces = fc.array(
    fc.constantFrom(
      ...[
        'Acme',
        'The',
        'Inc',
        'Co',
        'Company',
        'GmbH',
        '& ',
        'und',
        'et',
        'e',
        't',
        'S.A.',
        'S. A',
        's',
        'a',
        'A/S',
        'r.o.',
        'sp',
        'z',
      ],
      ...[
        '株式会社',
        '(株)',
        '㈱',
        '有',
        'アクメ',
        'ООО',
        'Ё',
        'İ',
        'ß',
        'ŉ',
        '´',
        "'",
        '™',
        '&amp;',
        '+',
        '.',
        '/',
        '\u0301',
        '\u3099',
        'Ⅷ',
        '한',
      ],
    ),
    { maxLength: 10 },
  );
  const names = fc.oneof(
    fc.tuple(pieces, fc.constantFrom('', ' ')).map(([words, space]) => words.join(space)),
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  );

  it('never throws and is idempotent: a cleaned name cleans to itself', () => {
    fc.assert(
      fc.property(names, countries, (name, country) => {
        const comparable = comparableCompanyName(name, country);
        if (comparable !== null) expect(comparableCompanyName(comparable, country)).toBe(comparable);
      }),
      { numRuns: 5000 },
    );
  });

  it('ignores case', () => {
    fc.assert(
      fc.property(pieces, countries, (words, country) => {
        const name = words.join(' ');
        expect(comparableCompanyName(name.toUpperCase(), country)).toBe(comparableCompanyName(name, country));
      }),
    );
  });
});
