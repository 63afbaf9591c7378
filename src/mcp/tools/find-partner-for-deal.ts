import { Type } from 'typebox';
import { strictObject } from '../../contract/envelope.ts';
import type { PartnerId } from '../../contract/ids.ts';
import { OverlapSchema } from '../../contract/overlap.ts';
import { type Partner, PartnerSchema } from '../../contract/partner.ts';
import type { Signal } from '../../contract/signal.ts';
import { integer, number } from '../../contract/values/field.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { type AccountActivity, listAccountActivities } from '../../store/facts/activities.ts';
import { findPartner } from '../../store/facts/partners.ts';
import { listSharingPartners, type SharingPartner } from '../../store/matching/matches.ts';
import { listSignals } from '../../store/signals/signal-items.ts';
import { pageLimits, relationships } from '../../vocabulary.ts';
import { resolveOpportunity } from '../find.ts';
import { BriefActivity, BriefSignal, CrmOpportunity, Link, limit, named } from '../shapes.ts';
import { tool } from '../tool.ts';

const activitiesShown = 2;

const Candidate = Type.Object({
  partner: PartnerSchema,
  signals: Type.Array(BriefSignal, {
    description: 'Active signals of the partner for this deal, highest priority first.',
  }),
  shares_account: Type.Unsafe<Omit<SharingPartner, 'partner'> | null>({
    type: ['object', 'null'],
    description: 'How the partner knows the account; null if the account is not in its data.',
    properties: {
      relationship: Type.Enum(relationships, { type: 'string' }),
      ...Type.Pick(OverlapSchema, ['matched_by', 'confidence', 'matched_at']).properties,
    },
    required: ['relationship', 'matched_by', 'confidence', 'matched_at'],
  }),
  activity_count: integer('Recent activities of the partner on this deal or its account.', 3),
  latest_activities: Type.Array(BriefActivity),
  link: Link,
});

export const findPartnerForDealTool = tool({
  name: 'find_partner_for_deal',
  title: 'Find a partner for a deal',
  description:
    'Answers who can help on a deal and why: partners with signals for the deal, activity on the account, or the account in their own data. Partners are ranked by the highest priority of their signals, then by newest activity, then by match confidence.',
  scope: 'read',
  input: strictObject({ deal: named('The deal', 'Harbour Mills renewal'), limit: limit(3, 20) }),
  output: Type.Object({
    deal: CrmOpportunity,
    partners: Type.Array(Candidate),
    partner_count: number('Number of partners with any evidence.', 3),
  }),
  run: async (ask, input) => {
    const { db, orgId, link } = ask;
    const opportunity = await resolveOpportunity(ask, input.deal);
    const account_id = opportunity.account.id;
    const sharing = new Map(
      (await listSharingPartners(db, orgId, account_id, pageLimits.most)).map((row) => [row.partner.id, row]),
    );
    const activities = groupBy(
      (await listAccountActivities(db, orgId, account_id, pageLimits.most, null)).filter(
        ({ opportunity_id }) => opportunity_id === null || opportunity_id === opportunity.id,
      ),
      ({ partner }) => partner.id,
    );
    const active = await listSignals(db, orgId, { account_id, sort: 'priority' }, pageLimits.most, null);
    const signals = groupBy(
      active.filter(
        (signal) => signal.opportunity.id === opportunity.id || signal.opportunity.stage === 'prospective',
      ),
      ({ partner }) => partner.id,
    );

    const ids = new Set<PartnerId>([...signals.keys(), ...sharing.keys(), ...activities.keys()]);
    const ranked = [...ids]
      .map((id) => ({ id, rank: rankOf(signals.get(id), activities.get(id), sharing.get(id)) }))
      .sort((a, b) => compare(b.rank, a.rank) || (a.id < b.id ? -1 : 1));
    const partners = await Promise.all(
      ranked.slice(0, input.limit).map(async ({ id }) => {
        const done = activities.get(id) ?? [];
        const partner = sharing.get(id)?.partner ?? done[0]?.partner ?? (await findPartner(db, orgId, id));
        return {
          partner: partner as Partner,
          signals: (signals.get(id) ?? []).map((signal) => ({
            ...signal,
            link: link(`signals/${signal.id}`),
          })),
          shares_account: sharing.get(id) ?? null,
          activity_count: done.length,
          latest_activities: done.slice(0, activitiesShown),
          link: link(`partners/${id}`),
        };
      }),
    );
    return { deal: opportunity, partners, partner_count: ids.size };
  },
});

/** A partner with any signal ranks above one without. */
function rankOf(
  [best]: Signal[] = [],
  [newest]: AccountActivity[] = [],
  sharing: SharingPartner | undefined,
): number[] {
  return [best?.priority ?? -1, newest?.occurred_at.getTime() ?? 0, sharing?.confidence ?? 0];
}

function compare(a: number[], b: number[]): number {
  return a.map((value, index) => value - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
