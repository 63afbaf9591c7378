import { rowSchemas } from '../contract/ingest.ts';
import { type FactKind, factKinds } from '../vocabulary.ts';

const id = ['id', 'recordid', 'hsobjectid', 'objectid'];
const companyName = ['accountname', 'companyname', 'company', 'customername'];
const website = ['companydomainname', 'domainname', 'website', 'websiteurl', 'accountwebsite', 'url'];
const country = [
  'countrycode',
  'billingcountrycode',
  'hscountrycode',
  'countryregioncode',
  'billingcountry',
  'billingcountrytextonly',
  'countryregion',
];
const registryNumber = ['registrationnumber', 'companyregistrationnumber', 'registernumber'];
const account = [
  'accountid',
  'associatedcompanyidsprimary',
  'primaryassociatedcompanyid',
  'associatedcompanyids',
  'associatedcompanyid',
  'companyid',
];
const ownerEmail = ['owneremail', 'owneremailaddress'];
const created = ['createddate', 'createdate', 'hscreatedate', 'createdat'];
const common = {
  source_updated_at: [
    'systemmodstamp',
    'lastmodifieddate',
    'hslastmodifieddate',
    'lastmodified',
    'updatedat',
  ],
  deleted: ['isdeleted', 'archived'],
};

/**
 * Column names that map to a field in addition to its own name, preferred names first: those of Salesforce (Data
 * Loader, reports) and HubSpot (exports, API), normalized by `plain`.
 */
const aliases: Record<FactKind, Record<string, readonly string[]>> = {
  partners: {
    external_id: [...id, 'partnerid', 'accountid', 'companyid'],
    name: ['partnername', ...companyName],
    type: ['partnertype'],
    tier: ['partnertier', 'partnerlevel', 'level'],
    domain: website,
    ...common,
  },
  accounts: {
    crm_id: [...id, 'accountid', 'companyid'],
    name: companyName,
    domain: website,
    extra_domains: ['hsadditionaldomains', 'additionaldomains'],
    country,
    registry_number: registryNumber,
    merged_into: ['masterrecordid'],
    owner: ['accountowner', 'companyowner', 'accountownername', 'ownername', 'ownerfullname', 'contactowner'],
    owner_email: ['accountowneremail', 'companyowneremail', ...ownerEmail],
    ...common,
  },
  opportunities: {
    crm_id: [...id, 'opportunityid', 'dealid'],
    account_crm_id: account,
    name: ['opportunityname', 'dealname'],
    value: ['amount'],
    currency: ['currencyisocode', 'dealcurrencycode', 'opportunitycurrency', 'amountcurrency'],
    stage: ['stagename', 'dealstage'],
    is_won: ['iswon', 'won', 'isclosedwon', 'hsisclosedwon'],
    is_lost: ['isclosedlost', 'hsisclosedlost'],
    is_closed: ['isclosed', 'closed', 'isdealclosed', 'hsisclosed'],
    opened_at: created,
    closed_date: ['closedate'],
    owner: ['opportunityowner', 'dealowner', 'opportunityownername', 'ownername', 'ownerfullname'],
    owner_email: ['opportunityowneremail', 'dealowneremail', ...ownerEmail],
    ...common,
  },
  partner_accounts: {
    partner_external_id: ['partnerid'],
    external_id: [...id, 'accountid', 'companyid', 'customerid'],
    name: companyName,
    domain: website,
    country,
    registry_number: registryNumber,
    relationship: ['accounttype', 'type', 'lifecyclestage'],
    ...common,
  },
  activities: {
    external_id: [...id, 'activityid', 'taskid', 'eventid'],
    partner_external_id: ['partnerid'],
    account_crm_id: account,
    domain: website,
    opportunity_crm_id: ['opportunityid', 'dealid', 'associateddealids'],
    kind: ['activitykind', 'activitytype', 'type'],
    occurred_at: ['activitydate', 'activitydatetime', 'date', 'hstimestamp'],
    recorded_at: created,
    summary: ['subject', 'title', 'description', 'notes'],
    actor: ['ownername', 'owner', 'assigned', 'assignedto', 'createdby'],
    ...common,
  },
  exchange_rates: { base: ['from', 'basecurrency'], quote: ['to', 'quotecurrency', 'currency'], ...common },
};

const fields = new Map(
  factKinds.map((kind) => [
    kind,
    [...new Set([...Object.keys(rowSchemas[kind].full.properties), ...Object.keys(aliases[kind])])],
  ]),
);

/** The fields of a fact, including those that only determine another one, such as `is_won`. */
export function fieldsOf(kind: FactKind): string[] {
  return fields.get(kind) ?? [];
}

/** Required fields that have neither a column nor a constant value. */
export function missingFields(kind: FactKind, isFed: (field: string) => boolean): string[] {
  const statusIsFed = ['status', 'stage', 'is_won', 'is_closed'].some(isFed);
  const missing = rowSchemas[kind].full.required.filter(
    (field: string) => !isFed(field) && !(field === 'status' && statusIsFed),
  );
  // The account of an activity is required too, by one of two fields.
  const hasAccount = kind !== 'activities' || isFed('account_crm_id') || isFed('domain');
  return hasAccount ? missing : [...missing, 'account_crm_id'];
}

export type ColumnMap = ReturnType<typeof createColumnMap>;

/**
 * Finds the column of each field. JSON columns show up row by row: a new one maps to a field only if no other column
 * does, so that the meaning of earlier rows never changes.
 */
export function createColumnMap(kind: FactKind, overrides: Record<string, string>) {
  const columns = new Set<string>();
  const columnOf = new Map<string, string>();
  const wanted = fieldsOf(kind).map((field) => ({
    field,
    names:
      overrides[field] === undefined
        ? [plain(field), ...(aliases[kind][field] ?? [])]
        : [plain(overrides[field])],
  }));
  const free = wanted.filter(({ field }) => overrides[field] !== '');

  function see(names: Iterable<string>): void {
    const before = columns.size;
    for (const name of names) columns.add(name);
    if (columns.size === before) return;
    const byPlain = new Map([...columns].reverse().map((column) => [plain(column), column]));
    for (const { field, names } of free) {
      if (columnOf.has(field)) continue;
      const exact = overrides[field] !== undefined && columns.has(overrides[field]);
      const column = exact ? overrides[field] : names.flatMap((name) => byPlain.get(name) ?? [])[0];
      if (column !== undefined) columnOf.set(field, column);
    }
  }

  return {
    columnOf,
    see,
    ignored: () => [...columns].filter((column) => ![...columnOf.values()].includes(column)),
    columns: () => [...columns],
  };
}

/** Ignores case, spaces and punctuation, and the "18" in the names of Salesforce formula fields for long IDs. */
export function plain(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .replace(/^18(digits?|char(acter)?s?)?(?=.*id$)/, '')
    .replace(/(?<=id)18(digits?|char(acter)?s?)?$/, '');
}
