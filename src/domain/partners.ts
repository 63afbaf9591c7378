import type { OrganizationId, PartnerId } from '../contract/ids.ts';
import type { PartnerDetail } from '../contract/partner.ts';
import { dayNumber, dayStart } from '../rules/day.ts';
import { densityScore } from '../rules/signals/density.ts';
import type { Reader } from '../store/db/tx.ts';
import { findCountedPartner } from '../store/facts/partners.ts';
import { activityKinds, activityKindTable } from '../vocabulary.ts';

export const coSellKinds = activityKinds.filter((kind) => activityKindTable[kind].tier !== 'influenced');

export async function readPartner(
  db: Reader,
  orgId: OrganizationId,
  id: PartnerId,
  now: Date,
): Promise<PartnerDetail | undefined> {
  const counted = await findCountedPartner(db, orgId, id, coSellKinds, dayStart(dayNumber(now)));
  if (!counted) return undefined;
  const { window_days, co_sold, shared, ...partner } = counted;
  return {
    ...partner,
    co_sell_density_score: densityScore(co_sold, shared),
    co_sell_density: { co_sold_opportunities: co_sold, shared_open_opportunities: shared, window_days },
  };
}
