/** Words that are often added to or left out of a company name: holding, group, a location. */
export const affixWords: ReadonlySet<string> = set(`
  group groupe gruppe grupo gruppo grp holding holdings international global worldwide world company companies
  enterprise enterprises partners the of and for de la el le les du des da do di del dell van von der den y e`);

export const placeWords: ReadonlySet<string> = set(`
  america american americas usa us uk britain british england ireland scotland europe european emea eu asia asian
  pacific apac africa african australia australian zealand canada canadian china chinese hong kong india indian
  indonesia japan japanese korea korean malaysia mexico mexicana philippines singapore taiwan thailand thai vietnam
  brazil brasil argentina chile colombia peru germany german deutschland austria osterreich switzerland schweiz suisse
  france french italy italia spain espana iberia portugal netherlands nederland holland belgium belgique sweden sverige
  norway norge denmark danmark finland suomi nordic poland polska czech hungary romania russia turkey turkiye israel
  egypt gulf arabia arabian emirates dubai qatar kuwait north south east west northern southern eastern western`);

/** Words so frequent in company names that sharing one means nothing. */
export const frequentWords: ReadonlySet<string> = new Set([
  ...affixWords,
  ...placeWords,
  ...words(`
  acquisition advanced aerospace agency air airlines alpha applied asset automotive auto bancorp bancshares banco bank
  banking bankshares bio biomedical biopharma biosciences bioscience biotech biotechnology black blue bond brands building
  business capital care center central centre chemical chemicals city clean cloud club coal com commerce commercial
  communications community construction consulting control controls copper core corporate credit data design development
  diagnostics digital direct distribution diversified education electric electrical electronic electronics energy
  engineering entertainment environmental equipment equity estate exchange exploration express federal finance financial
  first food foods fund future gaming gas general gold golden great green growth health healthcare high home homes
  horizon hospital hotel hotels house housing ii iii income industrial industries industry information infrastructure
  innovation innovations insurance interactive invest investment investments investors iron lab laboratories labs land
  learning leasing legal life line lithium logistics machinery management manufacturing marine market marketing markets
  material materials media medical metal metals micro mills mineral minerals mines mining mobile mortgage motor motors
  national natural net network networks new nippon office oil one online opportunities oncology paper petroleum pharma
  pharmaceutical pharmaceuticals plus point power precision press print private production products professional
  project properties property public quality quantum rail real realty reit research resource resources resorts retail
  risk robotics royalty safety science sciences scientific security securities semiconductor semiconductors service
  services shipping silver smart social software solar solution solutions space special specialty sports standard star
  steel storage store stores strategic street studio studios supply support systems system team tech technologies
  technology tele telecom telecommunications textile textiles therapeutics tire tobacco tools total trade trading transport
  transportation travel trust union united universal university uranium utilities valley value ventures video water wealth
  web wind wood works bau handel haus technik werke industrie industriale sanayi ticaret`),
]);

/** Abbreviations with only one meaning, safe to write out. */
export const shortForms: ReadonlyMap<string, string> = byShortForm({
  associates: 'assocs',
  association: 'assn',
  brothers: 'bros',
  co: 'company',
  communications: 'comms',
  corp: 'corporation',
  department: 'dept',
  entertainment: 'entmt',
  financial: 'finl',
  government: 'govt',
  group: 'grp',
  holding: 'hldg',
  holdings: 'hldgs',
  inc: 'incorporated',
  industries: 'inds',
  international: 'intl internatl',
  laboratories: 'labs',
  laboratory: 'lab',
  ltd: 'limited',
  management: 'mgmt mgt',
  manufacturing: 'mfg',
  marketing: 'mktg',
  national: 'natl',
  products: 'prods',
  properties: 'props',
  saint: 'st',
  service: 'svc',
  services: 'svcs srvcs',
  systems: 'sys',
  technologies: 'techs',
  united: 'utd',
  university: 'univ',
});

/** Common abbreviations and spellings that a person reads as the same word. */
export const abbreviations: ReadonlyMap<string, string> = byShortForm({
  america: 'amer',
  american: 'amer amern am',
  associates: 'assoc assocs',
  association: 'assn',
  brothers: 'bros',
  building: 'bldg',
  chemical: 'chem',
  communications: 'comm comms communication',
  companies: 'cos',
  construction: 'constr',
  department: 'dept',
  development: 'dev devel',
  distribution: 'distr',
  electric: 'elec',
  electronics: 'elect electr',
  engineering: 'eng engr engg',
  enterprises: 'ent enterprise',
  entertainment: 'entmt',
  equipment: 'equip',
  exploration: 'expl',
  financial: 'fin finl',
  foundation: 'fdn',
  general: 'gen',
  government: 'govt',
  group: 'grp groupe gruppe grupo gruppo gr',
  holdings: 'hldgs hldg hld hlds holding hd',
  hospital: 'hosp',
  industries: 'ind inds indus industry',
  industrial: 'indl',
  information: 'info',
  institute: 'inst',
  insurance: 'ins',
  international: 'intl int internatl internat intern',
  investment: 'inv invt',
  investments: 'invs invts',
  laboratories: 'lab labs laboratory',
  machinery: 'mach',
  management: 'mgmt mgt',
  manufacturing: 'mfg mfrs',
  marketing: 'mktg',
  materials: 'matls',
  medical: 'med',
  metals: 'met',
  mining: 'mng',
  mountain: 'mtn mt',
  national: 'natl nat',
  natural: 'natl',
  partners: 'ptnrs ptrs',
  petroleum: 'petr petrol',
  pharmaceuticals: 'pharm pharma pharms pharmaceutical',
  products: 'prods prod product',
  properties: 'props prop property',
  research: 'rsch',
  resources: 'res rscs resource',
  saint: 'st ste',
  sciences: 'sci science',
  securities: 'sec secs',
  services: 'svc svcs serv service',
  solutions: 'sols soln',
  systems: 'sys syst system',
  technologies: 'tech techs technol technology technols',
  telecommunications: 'tel telecom telecomm tele',
  trading: 'trdg',
  transportation: 'transn trans transport',
  united: 'utd',
  university: 'univ',
});

function byShortForm(table: Record<string, string>): Map<string, string> {
  return new Map(
    Object.entries(table).flatMap(([whole, short]) => words(short).map((word) => [word, whole] as const)),
  );
}

function set(list: string): Set<string> {
  return new Set(words(list));
}

function words(list: string): string[] {
  return list.trim().split(/\s+/);
}
