import {
  type ActivityKind,
  activityKinds,
  type OpportunityStatus,
  opportunityStatuses,
  type PartnerType,
  partnerTiers,
  partnerTypes,
  type Relationship,
  relationships,
} from '../vocabulary.ts';
import { currencyCode } from './amounts.ts';
import { plain } from './columns.ts';
import { countryCode } from './countries.ts';

/**
 * Words in CRM exports that can only mean one of our values. A word that two companies could use differently ("Gold",
 * "Intro", "POC", "Webinar") does not belong here: the importer asks about it. Compared with `plain`.
 */
const synonyms: {
  type: Partial<Record<PartnerType, string[]>>;
  kind: Partial<Record<ActivityKind, string[]>>;
  relationship: Partial<Record<Relationship, string[]>>;
  status: Partial<Record<OpportunityStatus, string[]>>;
} = {
  type: {
    gsi: [
      'Global System Integrator',
      'Global Systems Integrator',
      'System Integrator',
      'Systems Integrator',
      'SI',
    ],
    hyperscaler: ['Cloud Provider', 'Cloud'],
    technology_partner: ['Technology', 'ISV', 'Independent Software Vendor'],
    solution_provider: [
      'Solution',
      'Reseller',
      'Value Added Reseller',
      'VAR',
      'MSP',
      'Managed Service Provider',
    ],
  },
  kind: {
    deal_registration: ['Deal Reg', 'Registered Deal'],
    referral: ['Partner Referral', 'Customer Referral'],
    exec_intro: ['Executive Intro', 'Executive Introduction', 'Exec Introduction'],
    joint_meeting: ['Joint Customer Meeting'],
  },
  relationship: {
    customer: [
      ...['Customer - Direct', 'Customer - Channel', 'Existing Customer', 'Evangelist'],
      ...['Kunde', 'Bestandskunde', 'Client', 'Cliente', 'Klant', 'Kund'],
    ],
    open_opportunity: ['Opportunity', 'Open Opp', 'Open Deal'],
    prospect: ['Lead', 'Marketing Qualified Lead', 'Sales Qualified Lead', 'Subscriber', 'Interessent'],
  },
  status: {
    open: ['Offen', 'In Progress'],
    won: ['Closed Won', 'Gewonnen', 'Gagné', 'Ganado', 'Ganada'],
    lost: ['Closed Lost', 'Verloren', 'Perdu', 'Perdido', 'Perdida'],
  },
};

/** A field that accepts only certain values, whatever the CRM calls them. */
export type Choice = {
  /** For people: "Enter …". */
  takes: string;
  /** All values, if there are few enough to list. */
  options?: readonly string[];
  /** Free text in CRMs, so a file can have any number of odd values: they cost their rows, not the import. */
  freeText?: true;
  read(text: string): string | number | undefined;
};

/** A field has the same meaning in every fact that has it. */
export const choices: Record<string, Choice> = {
  type: oneOf(partnerTypes, synonyms.type),
  tier: {
    takes: either(partnerTiers.map(String)),
    options: partnerTiers.map(String),
    read: (text) => {
      const [, digit] = /^(?:tier|level)?\s*([1-4])(?:\.0+)?$/i.exec(text) ?? [];
      return digit === undefined ? undefined : Number(digit);
    },
  },
  kind: oneOf(activityKinds, synonyms.kind),
  status: oneOf(opportunityStatuses, synonyms.status),
  relationship: oneOf(relationships, synonyms.relationship),
  currency: { takes: 'a currency, such as EUR', read: currencyCode },
  country: { takes: 'a country, such as DE or Germany', freeText: true, read: countryCode },
};

/** The fields whose values can be mapped. A stage keeps its name and maps to the status of its deals. */
export const mappable: Record<string, Choice> = { ...choices, stage: choices.status as Choice };

/** What the values of a file mean, by field and `valueKey`; empty if the value is to be left out. */
export type ValueMap = Record<string, Record<string, string>>;

export function mappedTo(values: ValueMap, field: string, text: string): string | undefined {
  const known = values[field];
  const key = valueKey(text);
  return known && Object.hasOwn(known, key) ? known[key] : undefined;
}

/** Punctuation counts: a program can have both "Gold" and "Gold+". */
export function valueKey(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Later maps win. */
export function mergeValues(...maps: ValueMap[]): ValueMap {
  const merged: ValueMap = {};
  for (const map of maps)
    for (const [field, values] of Object.entries(map)) merged[field] = { ...merged[field], ...values };
  return merged;
}

/** A person's answers, keyed for lookup. */
export function toLookup(answers: ValueMap): ValueMap {
  return Object.fromEntries(
    Object.entries(answers).map(([field, values]) => [
      field,
      Object.fromEntries(Object.entries(values).map(([text, target]) => [valueKey(text), target])),
    ]),
  );
}

/** Default stages of CRMs that nobody uses for closed deals. */
const openStages = [
  // Salesforce
  ...['Prospecting', 'Qualification', 'Needs Analysis', 'Value Proposition', 'Id. Decision Makers'],
  ...['Perception Analysis', 'Proposal/Price Quote', 'Negotiation/Review'],
  // HubSpot
  ...['Appointment Scheduled', 'Qualified To Buy', 'Presentation Scheduled', 'Decision Maker Bought-In'],
  'Contract Sent',
  // Pipedrive, Dynamics, Zoho
  ...['Lead In', 'Contact Made', 'Demo Scheduled', 'Proposal Made', 'Negotiations Started', 'Qualified'],
  ...['Qualify', 'Develop', 'Propose', 'Identify Decision Makers', 'Proposal/Quote'],
  // What most pipelines share
  ...['Open', 'New', 'Discovery', 'Demo', 'Evaluation', 'Proposal', 'Quote', 'Negotiation'],
];

type Flags = { is_won?: unknown; is_lost?: unknown; is_closed?: unknown };

const knownStages = new Map<string, OpportunityStatus>([
  ...openStages.map((stage) => [plain(stage), 'open'] as const),
  ...(synonyms.status.won ?? []).map((stage) => [plain(stage), 'won'] as const),
  ...(synonyms.status.lost ?? []).map((stage) => [plain(stage), 'lost'] as const),
]);

/**
 * The flags of the CRM decide; the stage is used only if they are inconclusive. Undefined if the stage is unknown:
 * assuming "open" would hide a won deal or keep a lost one alive.
 */
export function statusOf(
  { is_won, is_lost, is_closed }: Flags,
  stage: string,
  values: ValueMap,
): OpportunityStatus | undefined {
  if (is_won === true) return 'won';
  if (is_lost === true) return 'lost';
  if (is_closed === false) return 'open';
  if (is_closed === true && is_won === false) return 'lost';
  const named = statusOfStage(stage, values);
  const contradicted =
    (named === 'won' && is_won === false) ||
    (named === 'lost' && is_lost === false) ||
    (named === 'open' && is_closed === true);
  return contradicted ? undefined : named;
}

function statusOfStage(stage: string, values: ValueMap): OpportunityStatus | undefined {
  const mapped = mappedTo(values, 'stage', stage);
  if (mapped !== undefined) return mappable.stage?.read(mapped) as OpportunityStatus | undefined;
  const told = /\b(?:closed)?\W*(won|lost)\b(?!['’])/i.exec(stage)?.[1]?.toLowerCase();
  return (told as OpportunityStatus | undefined) ?? knownStages.get(plain(bareName(stage)));
}

/** Salesforce pipelines are often numbered ("3 - Proposal"), HubSpot adds the pipeline ("Contract Sent (Sales)"). */
function bareName(stage: string): string {
  return stage.replace(/^\s*\d+\s*[-–.:)]\s*/, '').replace(/\s*\([^()]*\)\s*$/, '');
}

function oneOf<T extends string>(options: readonly T[], others: Partial<Record<T, string[]>>): Choice {
  const known = new Map<string, T>(options.map((option) => [plain(option), option]));
  for (const option of options) for (const other of others[option] ?? []) known.set(plain(other), option);
  return {
    takes: either(options),
    options,
    read: (text) => known.get(plain(text)),
  };
}

function either(options: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(options);
}
