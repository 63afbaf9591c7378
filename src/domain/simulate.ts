import type { Policy, Simulation } from '../contract/attribution.ts';
import type { OrganizationId, PartnerId } from '../contract/ids.ts';
import type { Settings } from '../contract/settings.ts';
import { OpportunitySummary } from '../contract/signal.ts';
import { groupBy } from '../contract/values/group-by.ts';
import { pick } from '../contract/values/pick.ts';
import type { Period } from '../contract/values/time.ts';
import { plus } from '../rules/decimal.ts';
import { findRecordsOf } from '../store/credit/attribution.ts';
import {
  listWonOpportunities,
  type OpportunityToCredit,
  stepOpportunities,
} from '../store/credit/opportunities.ts';
import type { Reader } from '../store/db/tx.ts';
import { listSettings } from '../store/keys/settings.ts';
import { type Tier, tiers } from '../vocabulary.ts';
import { deriveCredits, policyInForce } from './attribution.ts';
import { partnerFinder } from './explain-credit.ts';

const maxListed = 1_000;

type TierCount = Simulation['before'][number];
type Change = Simulation['changes'][number];

/** Compares the credit of a period's won deals with what another policy would have given. Writes nothing. */
export async function simulatePolicy(
  db: Reader,
  orgId: OrganizationId,
  policy: Policy,
  period: Period,
): Promise<Simulation> {
  const versions = await listSettings(db, orgId);
  const settingsFor = (opportunity: OpportunityToCredit): Settings =>
    withPolicy(policyInForce(versions, opportunity.closed_date).settings, policy);
  const before = counter();
  const after = counter();
  const changes: Change[] = [];
  let deals = 0;
  let changed = 0;
  let last: OpportunityToCredit | null = null;
  do {
    const step: OpportunityToCredit[] = await listWonOpportunities(db, orgId, period, last);
    last = step.length === stepOpportunities ? (step.at(-1) ?? null) : null;
    deals += step.length;
    const opportunityIds = step.map((opportunity) => opportunity.id);
    const records = await findRecordsOf(db, orgId, opportunityIds);
    const held = groupBy(records, (record) => record.opportunity_id);
    const credits = await deriveCredits(db, orgId, step, settingsFor, held);
    const differing: (Omit<Change, 'partner'> & { partner_id: PartnerId })[] = [];
    for (const opportunity of step) {
      const known = new Map((held.get(opportunity.id) ?? []).map((record) => [record.partner_id, record]));
      for (const { partner_id, tier, credited_value } of credits.get(opportunity.id) ?? []) {
        const record = known.get(partner_id);
        const tier_before = record?.status === 'active' ? record.tier : null;
        const valueBefore = record?.credited_value ?? 0;
        if (tier_before) before.add(opportunity, tier_before, valueBefore);
        if (tier) after.add(opportunity, tier, credited_value);
        if (tier_before === tier && valueBefore === credited_value) continue;
        changed++;
        if (changes.length + differing.length < maxListed) {
          differing.push({
            record_id: record?.id ?? null,
            partner_id,
            opportunity: pick(OpportunitySummary, opportunity),
            closed_date: opportunity.closed_date,
            tier_before,
            tier_after: tier,
            credited_value_before: valueBefore,
            credited_value_after: credited_value,
          });
        }
      }
    }
    const partnerOf = await partnerFinder(db, orgId, differing);
    changes.push(
      ...differing.map(({ partner_id, ...change }) => ({ ...change, partner: partnerOf(partner_id) })),
    );
  } while (last);
  return { deals, before: before.counts(), after: after.counts(), changed, changes };
}

function withPolicy(settings: Settings, { attribution, pre_intent }: Policy): Settings {
  // A policy without a split keeps the one in force at the time.
  const whole = { ...settings.attribution, ...attribution };
  return { ...settings, attribution: whole, signals: { ...settings.signals, pre_intent } };
}

function counter() {
  const counts = new Map<string, TierCount>();
  return {
    add({ currency }: OpportunityToCredit, tier: Tier, value: number): void {
      const key = `${tier} ${currency}`;
      const count = counts.get(key) ?? { tier, currency, records: 0, value: 0 };
      counts.set(key, { ...count, records: count.records + 1, value: plus(count.value, value) });
    },
    counts: () =>
      [...counts.values()].sort(
        (a, b) =>
          tiers.indexOf(a.tier) - tiers.indexOf(b.tier) || ((a.currency ?? '') < (b.currency ?? '') ? -1 : 1),
      ),
  };
}
