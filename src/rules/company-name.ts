/**
 * A company's name as it is compared: case, accents, punctuation and legal form off, everything else kept.
 * `null` where too little is left to tell one company from another.
 */
export function comparableCompanyName(name: string, country: string): string | null {
  const cleaned = withoutLegalForm(name, country);
  return isDistinctive(cleaned) ? cleaned : null;
}

/** The folded words of a name, its legal form off. */
export function companyWords(name: string, country: string): string[] {
  return withoutLegalForm(name, country).split(' ').filter(Boolean);
}

function withoutLegalForm(name: string, country: string): string {
  // A cut name could equal another one, so a name beyond any real length is dropped, not cut.
  if (name.length > maxNameLength) return '';
  let cleaned = fold(name);
  for (let before = ''; before !== cleaned; ) {
    before = cleaned;
    cleaned = withoutLeadingForm(withoutTrailingForm(cleaned, country), country);
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
  return (
    name
      .replace(/[™℠]|\p{Cf}/gu, '')
      .replace(/´/g, "'")
      .normalize('NFKD')
      .toLowerCase()
      .replace(/['’‘`ʼ]/g, '')
      // In other scripts a mark makes another letter: か is not が, и is not й.
      .replace(/([\p{Script=Latin}\p{Script=Greek}е])\p{M}+/gu, '$1')
      .normalize('NFKC')
      .replace(/[ßæœøłđðþħŧıς]/g, (letter) => foldedLetters[letter] ?? letter)
      .replace(/&(?:amp;)?/g, ' and ')
      // Kept as a word: Canal+ is not Canal.
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

/**
 * Legal forms in the folded spelling, by the countries in which they count; `*` is everywhere. A form that is also
 * a word or an abbreviation elsewhere (Heartland Ag, Day Spa, Toyota SA) is local to where it is a legal form.
 * Holding and group are missing on purpose: the holding is another company. So is the "and" of "& Co", which stays
 * behind: Brown & Co is not Brown.
 */
const trailingForms: Record<string, string> = {
  '*': `inc, incorporated, llc, llp, lllp, pllc, ltd, limited, plc, corp, corporation, co, company, the,
    limited liability company, limited liability partnership, public limited company, public company limited,
    private limited, private ltd, pvt ltd, pvt limited, pte, pte ltd, pte limited, pty, pty ltd, pty limited,
    proprietary limited, unlimited company, sdn bhd, bhd, tbk, jsc, ojsc, cjsc, pjsc, fze, fzco, fz llc, wll,
    gmbh, mbh, ggmbh, gesmbh, gesellschaft mbh, gesellschaft mit beschrankter haftung, aktiengesellschaft, kgaa, ohg,
    ug haftungsbeschrankt, gmbh and co, gmbh and co kg, gmbh and co kgaa, gmbh and co ohg, mbh and co kg,
    ag and co kg, ag and co kgaa, se and co kg, se and co kgaa, ug and co kg, ug haftungsbeschrankt and co kg,
    sarl, sa rl, sasu, eurl, srl, srls, sprl, bvba, societe anonyme, societe par actions simplifiee,
    societe a responsabilite limitee, aps, aktieselskab, anpartsselskab, aksjeselskap, aktiebolag, osakeyhtio, oyj,
    kft, zrt, nyrt, sro, s ro, spol sro, spol s ro, sp z oo, sp zoo, spolka z ograniczona odpowiedzialnoscia,
    spolka akcyjna, doo, dooel, eood, ltda, limitada, eireli, sa de cv, sab de cv, sapi de cv, s de rl de cv, s de rl,
    sociedad anonima, sociedad limitada, anonim sirketi, ltd sti, limited sirketi, kabushiki kaisha, kaisha ltd`,
  'AT CH DE LI': 'ag, kg, ek, eg, ug, gbr, og, partg, partg mbb, sagl',
  'AT BE CY CZ DE DK EE ES FI FR HU IE IT LI LU LV MT NL NO PL PT SE SK': 'se',
  [`AD AO AR BE BO BR CH CI CL CM CO CR DO DZ EC ES FR GA GR GT HN LU MA MC MX MZ NI PA PE PL PT PY RO SN SV TN UY
    VE`]: 'sa',
  'AR BE CH CI CM CO DZ FR GA IT LU MA MC SN TN': 'sas, snc, sca, scs',
  'CL DZ IT': 'spa',
  'AD ES': 'sl, slu, sll, slp',
  'AO BR CV MZ PT': 'lda, unipessoal lda',
  'CL PE': 'eirl',
  PE: 'saa, sac',
  VE: 'ca',
  MX: 'sc',
  'AW BE CW NL SR SX': 'bv, nv, vof',
  'CZ DK EE LV NO SK TR': 'as',
  NO: 'asa, ans',
  DK: 'ks, ps',
  FI: 'oy, ab, ky',
  SE: 'ab, hb, kb',
  IS: 'hf, ehf',
  EE: 'ou',
  LT: 'uab, ab, mb',
  LV: 'sia',
  HU: 'bt',
  'CZ SK': 'vos, ks',
  PL: 'sp k, sp j, spk, spj',
  'BA HR ME MK RS SI': 'dd, ad',
  BG: 'ood, ad, ead',
  GR: 'ae, epe, ike, αε, επε, ικε, οε, εε',
  'CA GB US': 'lp',
  CA: 'ltee, limitee, ulc',
  IE: 'dac, clg, uc',
  GB: 'cic, community interest company',
  // (株), ㈱ and (주) stand for the forms that are written out in unspacedForms.
  JP: 'kk, gk, 株, 有',
  KR: '주, 유',
  TH: 'pcl',
  UZ: 'mchj',
  'BY KG KZ RU UA UZ': 'ооо, оао, ао, зао, пао, тоо, тов, прат, пат',
};

const leadingForms: Record<string, string> = {
  '*': 'the',
  'BY KG KZ RU UA UZ': `ооо, оао, ао, зао, пао, нао, ип, тоо, тов, пп, прат, пат, чп, уп, ooo, oao, zao, pao,
    общество с ограниченной ответственностью, акционерное общество, публичное акционерное общество,
    товариство з обмеженою відповідальністю`,
  EE: 'ou, as',
  ID: 'pt',
  JP: '株, 有',
  KR: '주, 유',
  LT: 'uab, ab, mb',
  LV: 'sia, as',
};

/** Written without a space beside the name, before or after it; longer ones first. */
const unspacedForms = [
  '股份有限公司',
  '有限责任公司',
  '有限責任公司',
  '有限公司',
  '株式会社',
  '有限会社',
  '合同会社',
  '合資会社',
  '合名会社',
  '주식회사',
  '유한회사',
];

const trailingByCountry = byCountry(trailingForms);
const leadingByCountry = byCountry(leadingForms);
/** The longest of the forms above. */
const maxFormWords = 5;

function withoutTrailingForm(name: string, country: string): string {
  const unspaced = unspacedForms.find((form) => name.endsWith(form));
  if (unspaced) return name.slice(0, -unspaced.length).trim();
  const words = name.split(' ');
  for (let count = Math.min(maxFormWords, words.length); count > 0; count--) {
    const form = words.slice(-count).join(' ');
    if (isForm(form, country, trailingByCountry)) return words.slice(0, -count).join(' ');
  }
  return name;
}

function withoutLeadingForm(name: string, country: string): string {
  const unspaced = unspacedForms.find((form) => name.startsWith(form));
  if (unspaced) return name.slice(unspaced.length).trim();
  const words = name.split(' ');
  for (let count = Math.min(maxFormWords, words.length); count > 0; count--) {
    if (isForm(words.slice(0, count).join(' '), country, leadingByCountry))
      return words.slice(count).join(' ');
  }
  return name;
}

function isForm(text: string, country: string, forms: Map<string, Set<string>>): boolean {
  return forms.get('*')?.has(text) === true || forms.get(country)?.has(text) === true;
}

function byCountry(table: Record<string, string>): Map<string, Set<string>> {
  const forms = new Map<string, Set<string>>();
  for (const [countries, list] of Object.entries(table)) {
    for (const country of countries.split(/\s+/)) {
      const known = forms.get(country) ?? new Set();
      for (const form of list.split(',')) known.add(form.trim());
      forms.set(country, known);
    }
  }
  return forms;
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
  const letters = [...cleaned.replaceAll(' ', '')];
  return (
    letters.length >= 3 &&
    new Set(letters).size > 1 &&
    cleaned.split(' ').some((word) => !genericWords.has(word) && !/^\p{N}+$/u.test(word))
  );
}
