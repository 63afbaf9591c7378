import { Type } from 'typebox';
import { PartnerSchema } from '../contract/partner.ts';
import { AccountSummary, ActivitySchema, OpportunitySummary, SignalSchema } from '../contract/signal.ts';
import { currencyPattern, moment, nullable, nullableText, text } from '../contract/values/field.ts';
import { opportunityStatuses, textLimits } from '../vocabulary.ts';

export const Link = text('Page in the console.', 'https://localhost:8443/console/signals', { format: 'uri' });

/** Checked on ingest, so it cannot contain text. */
const Currency = nullable<string>('string', 'ISO 4217 code; null if the CRM gave none.', 'EUR', {
  pattern: currencyPattern,
});

export const Opportunity = Type.Object({ ...OpportunitySummary.properties, currency: Currency });

export const CrmOpportunity = Type.Object({
  ...Opportunity.properties,
  crm_id: text('Identifier in your CRM.', '0065e00001AbCdE'),
  status: Type.Enum([...opportunityStatuses], { type: 'string', description: 'Status in the CRM.' }),
  opened_at: moment('When the deal was opened.', '2026-01-12T08:30:00.000Z'),
  closed_date: nullable<string>('string', 'Day on which it was closed.', null, { format: 'date' }),
  account: AccountSummary,
});

export const SignalItem = Type.Object({
  ...SignalSchema.properties,
  opportunity: Opportunity,
  link: Link,
});

/** A signal without its partner, account and deal, where these are known from the context. */
export const BriefSignal = Type.Object({
  ...Type.Pick(SignalSchema, ['id', 'type', 'state', 'priority', 'fired_at', 'recommended_action'])
    .properties,
  link: Link,
});

export const BriefActivity = Type.Pick(ActivitySchema, ['id', 'kind', 'occurred_at', 'summary']);
export const AccountActivityItem = Type.Object({ ...BriefActivity.properties, partner: PartnerSchema });

export const Account = Type.Object({
  ...AccountSummary.properties,
  domain: nullableText('Registrable domain.', 'harbourmills.example'),
});

/** Few results by default, because assistants have limited context. */
export function limit(byDefault: number, most: number) {
  return Type.Integer({
    minimum: 1,
    maximum: most,
    default: byDefault,
    description: `Number of results, at most ${most}.`,
  });
}

export function named(what: string, example: string) {
  return Type.String({
    minLength: 1,
    maxLength: textLimits.search,
    pattern: '\\S',
    description: `${what}, by ID, CRM ID, name or part of the name, such as “${example}”.`,
  });
}

export const More = Type.Boolean({ description: 'Whether there are more.' });
