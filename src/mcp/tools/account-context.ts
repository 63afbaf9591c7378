import { Type } from 'typebox';
import { AttributionSchema } from '../../contract/attribution.ts';
import { strictObject } from '../../contract/envelope.ts';
import { OverlapSchema } from '../../contract/overlap.ts';
import { PartnerSchema } from '../../contract/partner.ts';
import { SignalSchema } from '../../contract/signal.ts';
import { findAttributionItems, findRecordsOf } from '../../store/credit/attribution.ts';
import { listAccountActivities } from '../../store/facts/activities.ts';
import { listAccountOpportunities } from '../../store/facts/search.ts';
import { listSharingPartners } from '../../store/matching/matches.ts';
import { listSignals } from '../../store/signals/signal-items.ts';
import { relationships } from '../../vocabulary.ts';
import { resolveAccount } from '../find.ts';
import {
  Account,
  AccountActivityItem,
  BriefSignal,
  CrmOpportunity,
  Link,
  limit,
  More,
  named,
} from '../shapes.ts';
import { tool } from '../tool.ts';

const { account: _account, ...opportunity } = CrmOpportunity.properties;

export const accountContextTool = tool({
  name: 'account_context',
  title: 'Show an account',
  description:
    'Shows an account: its deals, the partners that share it, their recent activity, the active signals, and who was credited for won deals.',
  scope: 'read',
  input: strictObject({ account: named('The account', 'Harbour Mills'), limit: limit(4, 25) }),
  output: Type.Object({
    account: Account,
    deals: Type.Array(Type.Object(opportunity), { description: 'Open deals first.' }),
    partners: Type.Array(
      Type.Object({
        partner: PartnerSchema,
        relationship: Type.Enum(relationships, { type: 'string' }),
        ...Type.Pick(OverlapSchema, ['matched_by', 'confidence']).properties,
      }),
      { description: 'Partners that have this account in their data, strongest match first.' },
    ),
    signals: Type.Array(
      Type.Object({ ...BriefSignal.properties, partner: SignalSchema.properties.partner }),
      { description: 'New signals, then those in progress.' },
    ),
    activities: Type.Array(AccountActivityItem, { description: 'Newest first.' }),
    credit: Type.Array(
      Type.Object({
        ...Type.Pick(AttributionSchema, ['id', 'tier', 'status', 'partner']).properties,
        opportunity_id: CrmOpportunity.properties.id,
      }),
      { description: 'Who was credited for the deals above.' },
    ),
    more: Type.Object(
      { deals: More, partners: More, signals: More, activities: More },
      { description: 'Whether there are more than shown.' },
    ),
    link: Link,
  }),
  run: async (ask, input) => {
    const { db, orgId, link } = ask;
    const { limit } = input;
    const account = await resolveAccount(ask, input.account);
    const account_id = account.id;
    const opportunities = await listAccountOpportunities(db, orgId, account_id, limit + 1);
    const partners = await listSharingPartners(db, orgId, account_id, limit + 1);
    const signals = [
      ...(await listSignals(db, orgId, { account_id, state: 'new' }, limit + 1, null)),
      ...(await listSignals(db, orgId, { account_id, state: 'in_progress' }, limit + 1, null)),
    ];
    const activities = await listAccountActivities(db, orgId, account_id, limit + 1, null);
    const shown = opportunities.slice(0, limit);
    const opportunityIds = shown.map(({ id }) => id);
    const recordIds = (await findRecordsOf(db, orgId, opportunityIds)).map(({ id }) => id);
    const credit = await findAttributionItems(db, orgId, recordIds);
    return {
      account,
      deals: shown,
      partners: partners.slice(0, limit),
      signals: signals.slice(0, limit).map((signal) => ({ ...signal, link: link(`signals/${signal.id}`) })),
      activities: activities.slice(0, limit),
      credit: credit.map((record) => ({ ...record, opportunity_id: record.opportunity.id })),
      more: {
        deals: opportunities.length > limit,
        partners: partners.length > limit,
        signals: signals.length > limit,
        activities: activities.length > limit,
      },
      link: link(`accounts/${account_id}`),
    };
  },
});
