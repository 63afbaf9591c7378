import type { AttributionId, OpportunityId, OrganizationId } from '../contract/ids.ts';
import { findAttributionItems, findRecordsOf } from '../store/attribution.ts';
import { findDeals } from '../store/deals.ts';
import { listDisputes } from '../store/disputes.ts';
import { listEvidence } from '../store/evidence.ts';
import { listSettings } from '../store/settings.ts';
import type { Reader } from '../store/tx.ts';
import { deriveCredits, policyInForce } from './attribution.ts';

/** A record with its evidence and its disputes. */
export async function readAttribution(db: Reader, orgId: OrganizationId, id: AttributionId) {
  const [record] = await findAttributionItems(db, orgId, [id]);
  if (!record) return undefined;
  const evidence_log = await listEvidence(db, orgId, id);
  return { ...record, evidence_log, dispute_history: await listDisputes(db, orgId, id) };
}

/** The records of a deal, and the partners that did something for it without earning credit, each with the reasons. */
export async function explainDeal(db: Reader, orgId: OrganizationId, dealId: OpportunityId) {
  const held = await findRecordsOf(db, orgId, [dealId]);
  const won = (await findDeals(db, orgId, [dealId])).filter((deal) => deal.won);
  const versions = await listSettings(db, orgId);
  const { credits, names } = await deriveCredits(
    db,
    orgId,
    won,
    (deal) => policyInForce(versions, deal.closed_date).settings,
    new Map([[dealId, held]]),
  );
  const credited = new Set(held.map((record) => record.partner_id));
  const uncredited = (credits.get(dealId) ?? []).filter(({ partner_id }) => !credited.has(partner_id));
  return {
    recordIds: held.map((record) => record.id),
    uncredited: uncredited.flatMap(({ partner_id, evidence }) => {
      const named = names.get(partner_id);
      if (!named) return [];
      return [{ partner: { id: partner_id, name: named.partner_name, type: named.partner_type }, evidence }];
    }),
  };
}
