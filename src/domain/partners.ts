import type { OrganizationId, PartnerId } from '../contract/ids.ts';
import type { PartnerDetail } from '../contract/partner.ts';
import type { SettingsVersion } from '../contract/settings.ts';
import { dayNumber, dayStart } from '../rules/day.ts';
import { densityScore } from '../rules/density.ts';
import { countActiveSignals, countSharedOpportunities, findPartner } from '../store/partners.ts';
import { findSettings } from '../store/settings.ts';
import type { Queryable } from '../store/tx.ts';
import { activityKinds, activityKindTable } from '../vocabulary.ts';

export const coSellKinds = activityKinds.filter((kind) => activityKindTable[kind].tier !== 'influenced');

export type ScoredPartner = PartnerDetail & {
  co_sell_density_score: number;
  co_sell_density: { co_sold_opportunities: number; shared_open_opportunities: number; window_days: number };
  active_signal_count: number;
};

export async function readPartner(
  db: Queryable,
  orgId: OrganizationId,
  id: PartnerId,
  now: Date,
): Promise<ScoredPartner | undefined> {
  const partner = await findPartner(db, orgId, id);
  if (!partner) return undefined;
  const { settings } = (await findSettings(db, orgId)) as SettingsVersion;
  const { window_days } = settings.density;
  const since = dayStart(dayNumber(now) - window_days);
  const { co_sold, shared } = await countSharedOpportunities(db, orgId, id, coSellKinds, since);
  return {
    ...partner,
    co_sell_density_score: densityScore(co_sold, shared),
    co_sell_density: { co_sold_opportunities: co_sold, shared_open_opportunities: shared, window_days },
    active_signal_count: await countActiveSignals(db, orgId, id),
  };
}
