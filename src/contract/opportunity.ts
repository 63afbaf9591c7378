import { type Static, Type } from 'typebox';
import { opportunityStatuses } from '../vocabulary.ts';
import { PageQuery, searchField, strictObject } from './envelope.ts';
import { nullablePerson } from './person.ts';
import { AccountSummary, OpportunitySummary } from './signal.ts';
import {
  moment,
  nullable,
  nullableMoment,
  nullableObject,
  nullableText,
  number,
  reference,
  text,
} from './values/field.ts';

const ConvertedSchema = Type.Object({
  currency: text('The reporting currency.', 'USD'),
  value: number('Value of the deal in the reporting currency.', 51_950.4),
  rate: number('Value of one unit of the deal’s currency in the reporting currency.', 1.0823),
  rate_date: text('Day of the rate.', '2026-02-27', { format: 'date' }),
});
export type Converted = Static<typeof ConvertedSchema>;

const fields = {
  ...OpportunitySummary.properties,
  crm_id: nullableText('Identifier in your CRM; null if the deal is prospective.', '0065e00002XyZaB'),
  status: Type.Enum([...opportunityStatuses, 'prospective'], {
    description:
      'Whether the deal is open, won or lost. prospective: your CRM has no deal on the account yet.',
  }),
  account: AccountSummary,
  opened_at: nullableMoment('When the deal was opened.', '2026-01-20T00:00:00.000Z'),
  closed_date: nullable<string>('string', 'Day on which the deal was closed.', null, { format: 'date' }),
};
const converted = {
  converted: nullableObject(
    ConvertedSchema,
    'The value in the reporting currency of the settings: a closed deal at the rate of its closing date, any other at the newest rate. null if no reporting currency is set or there is no rate.',
  ),
};

export const OpportunitySchema = Type.Object(
  { ...fields, ...converted },
  { title: 'Opportunity', description: 'A deal in your CRM.' },
);
/** The stored part of an item; the rest is derived from exchange rates. */
export const StoredOpportunitySchema = Type.Object(fields);
export type StoredOpportunity = Static<typeof StoredOpportunitySchema>;

const details = {
  owner: nullablePerson('Owner of the deal in the CRM.'),
  created_at: moment('When the deal was first loaded.', '2026-01-20T08:30:00.000Z'),
  updated_at: moment('When its data last changed.', '2026-02-20T16:45:00.000Z'),
};
export const OpportunityDetailSchema = Type.Object(
  { ...fields, ...converted, ...details },
  { title: 'OpportunityDetail', description: 'A deal in full.' },
);
export const StoredOpportunityDetailSchema = Type.Object({ ...fields, ...details });
export type StoredOpportunityDetail = Static<typeof StoredOpportunityDetailSchema>;

export const OpportunityQuerySchema = strictObject({
  q: searchField(
    'Only deals whose name or CRM ID, or the domain of whose account, begins with this text. Case and accents matter in CRM IDs, but not in names. At most 100 domains and 100 CRM IDs are found.',
    'harbour',
  ),
  account_id: Type.Optional(reference('account', 'Only deals of this account.')),
  status: Type.Optional(Type.Enum([...opportunityStatuses], { description: 'Only deals with this status.' })),
  ...PageQuery,
});
