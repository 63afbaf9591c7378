import type { AttributionId, OpportunityId, OrganizationId, PartnerId } from '../contract/ids.ts';
import type { Signal } from '../contract/signal.ts';
import { findAttributionItems, findRecordsOf } from '../store/credit/attribution.ts';
import { listDisputes } from '../store/credit/disputes.ts';
import { listEvidence } from '../store/credit/evidence.ts';
import { findOpportunitiesToCredit } from '../store/credit/opportunities.ts';
import type { Reader } from '../store/db/tx.ts';
import { findPartnerSummaries } from '../store/facts/partners.ts';
import { listSettings } from '../store/keys/settings.ts';
import { deriveCredits, policyInForce } from './attribution.ts';

/** A record with its evidence and its disputes. */
export async function readAttribution(db: Reader, orgId: OrganizationId, id: AttributionId) {
  const [record] = await findAttributionItems(db, orgId, [id]);
  if (!record) return undefined;
  const evidence_log = await listEvidence(db, orgId, id);
  return { ...record, evidence_log, dispute_history: await listDisputes(db, orgId, id) };
}

/** The records of a deal, and the partners with activity but no credit, each with the reasons. */
export async function explainOpportunity(db: Reader, orgId: OrganizationId, opportunityId: OpportunityId) {
  const held = await findRecordsOf(db, orgId, [opportunityId]);
  const won = (await findOpportunitiesToCredit(db, orgId, [opportunityId])).filter(
    (opportunity) => opportunity.won,
  );
  const versions = await listSettings(db, orgId);
  const credits = await deriveCredits(
    db,
    orgId,
    won,
    (opportunity) => policyInForce(versions, opportunity.closed_date).settings,
    new Map([[opportunityId, held]]),
  );
  const credited = new Set(held.map((record) => record.partner_id));
  const uncredited = (credits.get(opportunityId) ?? []).filter(({ partner_id }) => !credited.has(partner_id));
  const partnerOf = await partnerFinder(db, orgId, uncredited);
  return {
    recordIds: held.map((record) => record.id),
    uncredited: uncredited.map(({ partner_id, evidence }) => ({ partner: partnerOf(partner_id), evidence })),
  };
}

export async function partnerFinder(
  db: Reader,
  orgId: OrganizationId,
  rows: { partner_id: PartnerId }[],
): Promise<(id: PartnerId) => Signal['partner']> {
  const ids = new Set(rows.map(({ partner_id }) => partner_id));
  const found = await findPartnerSummaries(db, orgId, [...ids]);
  const partners = new Map(found.map((partner) => [partner.id, partner]));
  return (id) => partners.get(id) as Signal['partner'];
}
