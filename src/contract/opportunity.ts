import { type Static, Type } from 'typebox';
import { opportunityStatuses } from '../vocabulary.ts';
import { search } from './account.ts';
import { PageQuery, strictObject } from './envelope.ts';
import { moment, nullable, nullableMoment, nullableText, reference } from './field.ts';
import { AccountSummary, OpportunitySummary } from './signal.ts';

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

export const OpportunitySchema = Type.Object(fields, {
  title: 'Opportunity',
  description: 'A deal in your CRM.',
});
export type Opportunity = Static<typeof OpportunitySchema>;

export const OpportunityDetailSchema = Type.Object(
  {
    ...fields,
    created_at: moment('When the deal was first loaded.', '2026-01-20T08:30:00.000Z'),
    updated_at: moment('When its data last changed.', '2026-02-20T16:45:00.000Z'),
  },
  { title: 'OpportunityDetail', description: 'A deal in full.' },
);
export type OpportunityDetail = Static<typeof OpportunityDetailSchema>;

export const OpportunityQuerySchema = strictObject({
  q: search(
    'Only deals whose name or CRM ID begins with this, or the domain of their account. Case and accents in names do not matter. Of CRM IDs and of domains, the first 100 that begin with it count.',
    'harbour',
  ),
  account_id: Type.Optional(reference('account', 'Only deals of this account.')),
  status: Type.Optional(Type.Enum([...opportunityStatuses], { description: 'Only deals with this status.' })),
  ...PageQuery,
});
