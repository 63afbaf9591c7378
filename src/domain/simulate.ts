import type { Policy, Simulation } from '../contract/attribution.ts';
import { groupBy } from '../contract/group-by.ts';
import type { AttributionId, OrganizationId, PartnerId } from '../contract/ids.ts';
import type { Settings } from '../contract/settings.ts';
import type { Period } from '../contract/time.ts';
import { plus } from '../rules/decimal.ts';
import { findAttributionItems, findRecordsOf } from '../store/attribution.ts';
import { type DealRow, listWonDeals } from '../store/deals.ts';
import { listSettings } from '../store/settings.ts';
import type { Reader } from '../store/tx.ts';
import { type Tier, tiers } from '../vocabulary.ts';
import { deriveCredits, type PartnerNames, policyInForce } from './attribution.ts';

const stepDeals = 500;
const maxListed = 1_000;

type TierCount = Simulation['before'][number];
type Change = Simulation['changes'][number];

/** What another policy would have made of the won deals of a period, beside what was made of them. Writes nothing. */
export async function simulatePolicy(
  db: Reader,
  orgId: OrganizationId,
  policy: Policy,
  period: Period,
): Promise<Simulation> {
  const versions = await listSettings(db, orgId);
  const settingsFor = (deal: DealRow): Settings =>
    withPolicy(policyInForce(versions, deal.closed_date).settings, policy);
  const before = counter();
  const after = counter();
  const changes: Change[] = [];
  let deals = 0;
  let changed = 0;
  let last: DealRow | null = null;
  do {
    const step: DealRow[] = await listWonDeals(db, orgId, period, stepDeals, last);
    last = step.length === stepDeals ? (step.at(-1) ?? null) : null;
    deals += step.length;
    const dealIds = step.map((deal) => deal.id);
    const records = await findRecordsOf(db, orgId, dealIds);
    const held = groupBy(records, (record) => record.opportunity_id);
    const { credits, names } = await deriveCredits(db, orgId, step, settingsFor, held);
    const differing: (Omit<Change, 'partner'> & { partner_id: PartnerId })[] = [];
    for (const deal of step) {
      const known = new Map((held.get(deal.id) ?? []).map((record) => [record.partner_id, record]));
      for (const { partner_id, tier, credited_value } of credits.get(deal.id) ?? []) {
        const record = known.get(partner_id);
        const tier_before = record?.status === 'active' ? record.tier : null;
        const valueBefore = record?.credited_value ?? 0;
        if (tier_before) before.add(deal, tier_before, valueBefore);
        if (tier) after.add(deal, tier, credited_value);
        if (tier_before === tier && valueBefore === credited_value) continue;
        changed++;
        const { id, name, value, currency, stage, closed_date } = deal;
        const opportunity = { id, name, value, currency, stage };
        if (changes.length + differing.length < maxListed) {
          differing.push({
            record_id: record?.id ?? null,
            partner_id,
            opportunity,
            closed_date,
            tier_before,
            tier_after: tier,
            credited_value_before: valueBefore,
            credited_value_after: credited_value,
          });
        }
      }
    }
    const partnerOf = await partnerFinder(db, orgId, names, differing);
    changes.push(
      ...differing.map(({ partner_id, ...change }) => ({ ...change, partner: partnerOf(partner_id) })),
    );
  } while (last);
  return { deals, before: before.counts(), after: after.counts(), changed, changes };
}

function withPolicy(settings: Settings, { attribution, pre_intent }: Policy): Settings {
  // A policy without a split leaves that of its time.
  const whole = { ...settings.attribution, ...attribution };
  return { ...settings, attribution: whole, signals: { ...settings.signals, pre_intent } };
}

/** By what their activities told; a partner of whom nothing is left is named by its record. */
async function partnerFinder(
  db: Reader,
  orgId: OrganizationId,
  names: PartnerNames,
  changes: { partner_id: PartnerId; record_id: AttributionId | null }[],
): Promise<(id: PartnerId) => Change['partner']> {
  const unnamed = changes.flatMap(({ partner_id, record_id }) =>
    names.has(partner_id) || !record_id ? [] : [record_id],
  );
  const items = unnamed.length > 0 ? await findAttributionItems(db, orgId, unnamed) : [];
  const fromRecords = new Map(items.map((item) => [item.partner.id, item.partner]));
  return (id) => {
    const named = names.get(id);
    return named
      ? { id, name: named.partner_name, type: named.partner_type }
      : (fromRecords.get(id) as Change['partner']);
  };
}

function counter() {
  const counts = new Map<string, TierCount>();
  return {
    add({ currency }: DealRow, tier: Tier, value: number): void {
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
