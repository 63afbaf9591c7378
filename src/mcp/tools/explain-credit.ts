import { Type } from 'typebox';
import { AttributionDetailSchema, DisputeSchema, EvidenceSchema } from '../../contract/attribution.ts';
import { strictObject } from '../../contract/envelope.ts';
import { invalidField, notFound } from '../../contract/error.ts';
import { PartnerSummary } from '../../contract/partner.ts';
import { integer, nullableId, reference } from '../../contract/values/field.ts';
import { explainOpportunity, readAttribution } from '../../domain/explain-credit.ts';
import { type AccountActivity, listAccountActivities } from '../../store/facts/activities.ts';
import { findCrmOpportunity } from '../../store/facts/search.ts';
import { pageLimits, type Tier } from '../../vocabulary.ts';
import { resolveOpportunity, resolvePartner, resolveRecord } from '../find.ts';
import { BriefActivity, CrmOpportunity, Link, limit, named } from '../shapes.ts';
import { type Ask, tool } from '../tool.ts';

const {
  evidence_log: _log,
  dispute_history: _history,
  account: _account,
  opportunity: _opportunity,
  ...fields
} = AttributionDetailSchema.properties;

const Line = Type.Object({
  ...Type.Pick(EvidenceSchema, [
    'kind',
    'tier_supported',
    'occurred_at',
    'recorded_at',
    'summary',
    'activity_id',
    'counted',
    'reason',
  ]).properties,
  id: nullableId('evidence', 'null if there is no record that it belongs to.'),
});

export const explainCreditTool = tool({
  name: 'explain_credit',
  title: 'Explain the credit for a deal',
  description:
    'Shows who was credited for a deal and who was not: every piece of evidence, with the reason why it counts or does not. Give the deal or an attribution record; add a partner to see only that one.',
  scope: 'read',
  input: strictObject({
    record_id: Type.Optional(reference('attribution', 'The attribution record.')),
    deal: Type.Optional(named('The deal', 'Harbour Mills renewal')),
    partner: Type.Optional(named('Only this partner', 'Zephyr Cloud')),
    limit: limit(4, 50),
  }),
  output: Type.Object({
    deal: CrmOpportunity,
    deal_is_won: Type.Boolean({ description: 'Partners are credited when a deal is won.' }),
    credited: Type.Array(
      Type.Object({
        ...fields,
        evidence: Type.Array(Line, {
          description: 'What proves the tier, then what does not count, then the rest.',
        }),
        evidence_count: integer('All evidence, shown or not.', 4),
        disputes: Type.Array(Type.Omit(DisputeSchema, ['record_id']), { description: 'Latest dispute.' }),
        link: Link,
      }),
    ),
    not_credited: Type.Array(
      Type.Object({
        partner: PartnerSummary,
        evidence: Type.Array(Line, {
          description: 'What the partner did, with the reason why it does not count.',
        }),
        evidence_count: integer('All evidence, shown or not.', 0),
        outside_period: Type.Array(BriefActivity, {
          description:
            'If you gave a partner that has no evidence: its latest activities on the account. All of them are outside the periods of the policy, or belong to another deal.',
        }),
      }),
    ),
  }),
  run: async (ask, { record_id, deal: name, partner: partnerName, limit }) => {
    const { db, orgId, link } = ask;
    const opportunity =
      record_id === undefined ? await opportunityNamed(ask, name) : await opportunityOfRecord(ask, record_id);
    const only = partnerName === undefined ? undefined : await resolvePartner(ask, partnerName);
    const { recordIds, uncredited } = await explainOpportunity(db, orgId, opportunity.id);
    const credited = [];
    for (const id of recordIds) {
      const record = await readAttribution(db, orgId, id);
      if (!record || (record_id !== undefined && id !== record_id)) continue;
      if (only && record.partner.id !== only.id) continue;
      credited.push({
        ...record,
        evidence: tellingFirst(record.evidence_log, record.tier).slice(0, limit),
        evidence_count: record.evidence_log.length,
        disputes: record.dispute_history.slice(-1),
        link: link(`attribution/${id}`),
      });
    }
    const others = record_id === undefined ? uncredited : [];
    const not_credited = others
      .filter(({ partner }) => !only || partner.id === only.id)
      .map(({ partner, evidence }) => ({
        partner,
        evidence: evidence.slice(0, limit).map((line) => ({ ...line, id: null })),
        evidence_count: evidence.length,
        outside_period: [] as AccountActivity[],
      }));
    if (only && credited.length === 0 && not_credited.length === 0) {
      const { id } = opportunity.account;
      const activities = await listAccountActivities(db, orgId, id, pageLimits.most, null);
      const outside_period = activities.filter(({ partner }) => partner.id === only.id).slice(0, limit);
      not_credited.push({ partner: only, evidence: [], evidence_count: 0, outside_period });
    }
    return { deal: opportunity, deal_is_won: opportunity.status === 'won', credited, not_credited };
  },
});

async function opportunityNamed(ask: Ask, name: string | undefined) {
  if (name === undefined) throw invalidField('deal', 'required', 'name the deal or the record');
  return resolveOpportunity(ask, name);
}

async function opportunityOfRecord(ask: Ask, recordId: string) {
  const record = await resolveRecord(ask, recordId);
  const opportunity = await findCrmOpportunity(ask.db, ask.orgId, record.opportunity.id);
  if (!opportunity) throw notFound('attribution record', recordId);
  return opportunity;
}

/** First what proves the tier, then what does not count, then what counts for a lower tier. */
function tellingFirst<T extends { counted: boolean; tier_supported: Tier | null }>(
  lines: T[],
  tier: Tier,
): T[] {
  const rank = (line: T) => (!line.counted ? 1 : line.tier_supported === tier ? 0 : 2);
  return lines.toSorted((a, b) => rank(a) - rank(b));
}
