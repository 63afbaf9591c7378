import { plain } from './columns.ts';

const languages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'sv', 'da', 'nb', 'fi', 'cs'];
/** Regions that are not countries. */
const others = ['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ'];
/** Names that CRMs or people use and that are missing in the language data. */
const synonyms: Record<string, string[]> = {
  AE: ['UAE'],
  BN: ['Brunei Darussalam'],
  BO: ['Bolivia, Plurinational State of'],
  CD: ['Congo, the Democratic Republic of the', 'DRC'],
  CI: ["Cote d'Ivoire", 'Ivory Coast'],
  CN: ["People's Republic of China", 'PRC'],
  CV: ['Cape Verde'],
  CZ: ['Czech Republic'],
  FK: ['Falkland Islands (Malvinas)'],
  FM: ['Micronesia, Federated States of'],
  GB: ['UK', 'Great Britain', 'England', 'Scotland', 'Wales', 'Northern Ireland', 'GBR'],
  HK: ['Hong Kong'],
  IR: ['Iran, Islamic Republic of'],
  KP: ["Korea, Democratic People's Republic of"],
  KR: ['Korea, Republic of', 'Republic of Korea', 'Korea'],
  LA: ["Lao People's Democratic Republic"],
  MD: ['Moldova, Republic of'],
  MK: ['Macedonia', 'Macedonia, the former Yugoslav Republic of'],
  MM: ['Burma'],
  MO: ['Macau', 'Macao'],
  NL: ['Holland', 'The Netherlands'],
  PS: ['Palestine', 'Palestine, State of', 'Palestinian Territory, Occupied'],
  RU: ['Russian Federation'],
  SY: ['Syrian Arab Republic'],
  SZ: ['Swaziland'],
  TR: ['Turkey'],
  TW: ['Taiwan, Province of China'],
  TZ: ['Tanzania, United Republic of'],
  US: ['USA', 'United States of America'],
  VA: ['Holy See (Vatican City State)'],
  VE: ['Venezuela, Bolivarian Republic of'],
  VG: ['Virgin Islands, British'],
  VI: ['Virgin Islands, U.S.'],
  VN: ['Viet Nam'],
};

let codes: Map<string, string> | undefined;

/** The ISO 3166-1 alpha-2 code for a country code or a country name in one of several languages. */
export function countryCode(text: string): string | undefined {
  codes ??= makeCodes();
  return codes.get(fold(text));
}

function makeCodes(): Map<string, string> {
  const made = new Map<string, string>();
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const all = letters.flatMap((a) => letters.map((b) => a + b)).filter((code) => !others.includes(code));
  // A replaced code (UK, SU) resolves to its successor or has no name.
  const current = all.filter((code) => new Intl.Locale(`und-${code}`).region === code);
  for (const language of languages) {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    for (const code of current) {
      const name = names.of(code);
      if (name === undefined) continue;
      made.set(fold(code), code);
      if (!made.has(fold(name))) made.set(fold(name), code);
    }
  }
  for (const [code, names] of Object.entries(synonyms)) for (const name of names) made.set(fold(name), code);
  return made;
}

function fold(name: string): string {
  return plain(name.normalize('NFD').replace(/\p{M}+/gu, ''));
}
