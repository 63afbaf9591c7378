import { shortForms } from './company-words.ts';
import { leadingForms, trailingForms, unspacedForms } from './legal-forms.ts';

/**
 * A company name for comparison, without case, accents, punctuation and legal form. `null` if too little is left to identify
 * a company.
 */
export function comparableCompanyName(name: string, country: string): string | null {
  const cleaned = withoutLegalForm(name, country);
  return isDistinctive(cleaned) ? cleaned : null;
}

/**
 * Two spellings for comparison: without spaces; and without spaces, with the words in alphabetical order, abbreviations
 * written out and "and" dropped. Names that are equal as written are equal in both.
 */
export function comparableSpellings(name: string, country: string): string[] {
  const comparable = comparableCompanyName(name, country);
  if (comparable === null) return [];
  const words = comparable.split(' ');
  const sorted = words
    .filter((word, index) => word !== 'and' || index === 0 || index === words.length - 1)
    .map((word) => shortForms.get(word) ?? word)
    .sort();
  return [...new Set([words.join(''), sorted.join('')])];
}

/** The folded words of a name without its legal form. */
export function companyWords(name: string, country: string): string[] {
  return withoutLegalForm(name, country).split(' ').filter(Boolean);
}

function withoutLegalForm(name: string, country: string): string {
  // A truncated name could equal another, so an unrealistically long name is dropped, not truncated.
  if (name.length > maxNameLength) return '';
  let cleaned = fold(name);
  for (let before = ''; before !== cleaned; ) {
    before = cleaned;
    cleaned = withoutForm(withoutForm(cleaned, country, trailing), country, leading);
  }
  return cleaned.length <= maxNameLength ? cleaned : '';
}

const maxNameLength = 300;

/** Letters that Unicode does not decompose into a base letter and an accent. */
const foldedLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ς: 'σ',
};

function fold(name: string): string {
  const letters = /^[ -~]*$/.test(name) ? name.toLowerCase().replace(/['`]/g, '') : foldLetters(name);
  return (
    letters
      .replace(/&(?:amp;)?/g, ' and ')
      // Gold+Silver, Bed Bath + Beyond
      .replace(/(?<=[\p{L}\p{N}] ?)\+(?= ?[\p{L}\p{N}])/gu, ' and ')
      // A word of its own: Canal+ is not Canal.
      .replace(/\+/g, ' plus ')
      // S.p.A., A/S, J. P. → spa, as, jp
      .replace(/(?<![\p{L}\p{N}\p{M}])\p{L}(?:[./] ?\p{L}(?![\p{L}\p{N}\p{M}]))+/gu, (letters) =>
        letters.replace(/[./ ]/g, ''),
      )
      .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
      .trim()
      .replace(/(?<=\S )(?:und|et)(?= )/g, 'and')
  );
}

function foldLetters(name: string): string {
  return (
    name
      .replace(/[™℠]|\p{Cf}/gu, '')
      .replace(/´/g, "'")
      .normalize('NFKD')
      .toLowerCase()
      .replace(/['’‘`ʼ]/g, '')
      // In other scripts, a mark makes a different letter: か is not が, и is not й.
      .replace(/([\p{Script=Latin}\p{Script=Greek}е])\p{M}+/gu, '$1')
      .normalize('NFKC')
      .replace(/[ßæœøłđðþħŧıς]/g, (letter) => foldedLetters[letter] ?? letter)
  );
}

/** `edge` is the word of a form at the edge of a name. If it does not occur, no further check is needed. */
type Forms = { byCountry: Map<string, Set<string>>; edges: Set<string>; edge: 0 | -1; unspaced: RegExp };

function readForms(table: Record<string, string>, edge: 0 | -1, unspaced: RegExp): Forms {
  const forms: Forms = { byCountry: new Map(), edges: new Set(), edge, unspaced };
  for (const [countries, list] of Object.entries(table)) {
    const listed = list.split(',').map((form) => form.trim());
    for (const form of listed) forms.edges.add(form.split(' ').at(edge) as string);
    for (const country of countries.split(/\s+/))
      forms.byCountry.set(country, new Set([...(forms.byCountry.get(country) ?? []), ...listed]));
  }
  return forms;
}

const trailing = readForms(trailingForms, -1, new RegExp(`(?:${unspacedForms.join('|')})$`));
const leading = readForms(leadingForms, 0, new RegExp(`^(?:${unspacedForms.join('|')})`));
/** The longest of the forms above. */
const maxFormWords = 5;

function withoutForm(name: string, country: string, { byCountry, edges, edge, unspaced }: Forms): string {
  if (unspaced.test(name)) return name.replace(unspaced, '').trim();
  const words = name.split(' ');
  if (!edges.has(words.at(edge) as string)) return name;
  for (let count = Math.min(maxFormWords, words.length); count > 0; count--) {
    const at = edge === 0 ? count : words.length - count;
    const [head, tail] = [words.slice(0, at).join(' '), words.slice(at).join(' ')];
    const [form, rest] = edge === 0 ? [head, tail] : [tail, head];
    if (byCountry.get('*')?.has(form) || byCountry.get(country)?.has(form)) return rest;
  }
  return name;
}

const genericWords = new Set(
  `a abc account accounts and any asdf associates available business client clients company consulting contact corp
  corporation customer customers default deleted demo do duplicate dummy employed empty enterprise enterprises error
  example firm for freelance freelancer general global group holding holdings home inc individual industries info
  international internal lead limited llc ltd management misc missing my n na name new nil no none not null of office
  organisation organization other partner partners person personal placeholder private prospect provided qwerty retired
  sample self service services solutions some student systems tba tbc tbd technologies technology temp test tester
  testing the to trading undefined unknown unnamed use various website xyz yes your applicable
  aucun aucune autre azienda bedrijf desconocido empresa entreprise firma geen inconnu inconnue kein keine leer nessuno
  ninguna ninguno onbekend particulier persona prive privado privat privato sans sconosciuto sin societa societe sociedad
  unbekannt unternehmen нет неизвестно тест компания テスト 不明 個人 なし 测试 未知 无 公司 없음 테스트`.split(
    /\s+/,
  ),
);

function isDistinctive(cleaned: string): boolean {
  const letters = cleaned.replaceAll(' ', '');
  if (/^..$/u.test(letters)) return isDistinctivePair(cleaned);
  return (
    /^.../u.test(letters) &&
    !/^(.)\1*$/u.test(letters) &&
    cleaned.split(' ').some((word) => !genericWords.has(word) && !/^\p{N}+$/u.test(word))
  );
}

/** For example 3M, F5, HP: one word of Latin letters that is neither a legal form anywhere nor a placeholder. */
function isDistinctivePair(cleaned: string): boolean {
  return (
    /^(?:[a-z]\d|\d[a-z]|[a-z]{2})$/.test(cleaned) &&
    cleaned[0] !== cleaned[1] &&
    !genericPairs.has(cleaned) &&
    !genericWords.has(cleaned) &&
    ![...trailing.byCountry.values()].some((forms) => forms.has(cleaned))
  );
}

const genericPairs = new Set(
  `ai am an as at be by eu go he hr if in io is it la le me mr ms of on or pr so st tv uk un up us we pt`.split(
    ' ',
  ),
);
