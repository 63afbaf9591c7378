import { Type } from 'typebox';
import { AttributionSummaryQuerySchema, AttributionSummarySchema } from '../../contract/attribution.ts';
import { strictObject } from '../../contract/envelope.ts';
import { notFound } from '../../contract/error.ts';
import { OverlapSchema } from '../../contract/overlap.ts';
import { PartnerDetailSchema } from '../../contract/partner.ts';
import { PartnerActivitySchema, SignalSchema } from '../../contract/signal.ts';
import { utcPeriod } from '../../contract/values/time.ts';
import { readPartner } from '../../domain/partners.ts';
import { summarizeAttribution } from '../../store/credit/attribution-summary.ts';
import { listPartnerActivities } from '../../store/facts/activities.ts';
import { listOverlaps } from '../../store/matching/matches.ts';
import { listSignals } from '../../store/signals/signal-items.ts';
import { resolvePartner } from '../find.ts';
import { BriefActivity, BriefSignal, Link, limit, named, Opportunity } from '../shapes.ts';
import { tool } from '../tool.ts';

const { currency } = Opportunity.properties;
const inCurrency = <P extends object>(properties: P) => ({ ...properties, currency });
const { closed_after, closed_before } = AttributionSummaryQuerySchema.properties;
const { totals, by_tier } = AttributionSummarySchema.properties;

export const partnerSummaryTool = tool({
  name: 'partner_summary',
  title: 'Summarize a partner',
  description:
    'Summarizes a partner: tier, co-sell density score and the numbers behind it, credit by tier and currency, active signals, latest activities and shared accounts. Give a period to see the credit of a month or quarter.',
  scope: 'read',
  input: strictObject({
    partner: named('The partner', 'Zephyr Cloud'),
    closed_after,
    closed_before,
    limit: limit(3, 25),
  }),
  output: Type.Object({
    partner: PartnerDetailSchema,
    credit: Type.Object(
      {
        totals: Type.Array(Type.Object(inCurrency(totals.items.properties)), { description: 'By currency.' }),
        by_tier: Type.Array(Type.Object(inCurrency(by_tier.items.properties)), {
          description: 'By tier and currency.',
        }),
      },
      { description: 'Active records. Currencies are never added up.' },
    ),
    signals: Type.Array(
      Type.Object({
        ...BriefSignal.properties,
        account: SignalSchema.properties.account,
        opportunity: Opportunity,
      }),
      { description: 'New signals, newest first.' },
    ),
    activities: Type.Array(
      Type.Object({ ...BriefActivity.properties, account: PartnerActivitySchema.properties.account }),
      { description: 'Newest first.' },
    ),
    shared_accounts: Type.Array(
      Type.Pick(OverlapSchema, ['account', 'matched_by', 'confidence', 'matched_at']),
      { description: 'Newest match first.' },
    ),
    link: Link,
  }),
  run: async (ask, input) => {
    const { db, orgId, link } = ask;
    const { id } = await resolvePartner(ask, input.partner);
    const partner = await readPartner(db, orgId, id, new Date());
    if (!partner) throw notFound('partner', id);
    const { limit } = input;
    const credit = await summarizeAttribution(db, orgId, { partner_id: id, ...utcPeriod(input) });
    const signals = await listSignals(db, orgId, { partner_id: id, state: 'new' }, limit, null);
    return {
      partner,
      credit,
      signals: signals.map((signal) => ({ ...signal, link: link(`signals/${signal.id}`) })),
      activities: await listPartnerActivities(db, orgId, id, limit, null),
      shared_accounts: await listOverlaps(db, orgId, id, limit, null),
      link: link(`partners/${id}`),
    };
  },
});
