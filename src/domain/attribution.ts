import { isDeepStrictEqual } from 'node:util';
import { type AttributionId, newId, type OpportunityId, type OrganizationId } from '../contract/ids.ts';
import type { Settings, SettingsVersion } from '../contract/settings.ts';
import { groupBy } from '../contract/values/group-by.ts';
import {
  type Credit,
  creditOpportunity,
  type EvidenceLine,
  evidenceSpan,
  type OpportunityPartner,
} from '../rules/credit/attribution.ts';
import { shareValue } from '../rules/credit/share.ts';
import { isoDay } from '../rules/day.ts';
import { findRecordsOf, type RecordRow, upsertRecords } from '../store/credit/attribution.ts';
import { deleteEvidence, type EvidenceRow, findEvidence, upsertEvidence } from '../store/credit/evidence.ts';
import {
  findOpportunitiesToCredit,
  findOpportunityActivities,
  findPreIntentSignals,
  type OpportunityActivityRow,
  type OpportunityToCredit,
  stepOpportunities,
} from '../store/credit/opportunities.ts';
import type { FactsTx, Reader, Tx } from '../store/db/tx.ts';
import { findOrganization } from '../store/keys/organizations.ts';
import { listSettings } from '../store/keys/settings.ts';
import type { Tier } from '../vocabulary.ts';
import { emitAttributionEvents } from './events.ts';

/**
 * Updates the records of these deals to the facts in this transaction: creates them when a deal is won, recalculates them
 * when facts arrive late, and reverses them when the deal is no longer won or nothing proves a tier. `alsoChanged` lists
 * records that the caller has already changed; they get an event too.
 */
export async function creditOpportunities(
  tx: FactsTx,
  orgId: OrganizationId,
  opportunityIds: OpportunityId[],
  options: { now: Date; deliver: boolean; alsoChanged?: AttributionId[] },
): Promise<void> {
  const versions = await listSettings(tx, orgId);
  for (let start = 0; start < opportunityIds.length; start += stepOpportunities) {
    await creditStep(tx, orgId, opportunityIds.slice(start, start + stepOpportunities), versions, options);
  }
}

async function creditStep(
  tx: Tx,
  orgId: OrganizationId,
  opportunityIds: OpportunityId[],
  versions: SettingsVersion[],
  { now, deliver, alsoChanged = [] }: { now: Date; deliver: boolean; alsoChanged?: AttributionId[] },
): Promise<void> {
  const opportunities = await findOpportunitiesToCredit(tx, orgId, opportunityIds);
  const held = groupBy(await findRecordsOf(tx, orgId, opportunityIds), (record) => record.opportunity_id);
  const won = opportunities.filter((opportunity) => opportunity.won);
  const policyOf = (opportunity: OpportunityToCredit) => policyInForce(versions, opportunity.closed_date);
  const credits = await deriveCredits(tx, orgId, won, (opportunity) => policyOf(opportunity).settings, held);
  const signals = new Map(
    (await findPreIntentSignals(tx, orgId, opportunityIds)).map((row) => [
      `${row.opportunity_id} ${row.partner_id}`,
      row.id,
    ]),
  );

  const created: RecordRow[] = [];
  const changed: RecordRow[] = [];
  const wanted: EvidenceRow[] = [];
  for (const opportunity of opportunities) {
    const known = new Map((held.get(opportunity.id) ?? []).map((record) => [record.partner_id, record]));
    if (!opportunity.won) {
      changed.push(...[...known.values()].filter((record) => record.status === 'active').map(reversed));
      continue;
    }
    for (const { partner_id, external_id, tier, credited_value, evidence } of credits.get(opportunity.id) ??
      []) {
      const before = known.get(partner_id);
      if (tier === null && !before) continue;
      const record: RecordRow = {
        id: before?.id ?? newId('atr'),
        opportunity_id: opportunity.id,
        partner_id,
        tier: tier ?? (before?.tier as Tier),
        status: tier === null ? 'reversed' : 'active',
        pinned: before?.pinned ?? false,
        settings_version: policyOf(opportunity).version,
        closed_date: opportunity.closed_date,
        credited_value,
        partner_external_id: external_id,
      };
      if (!before) created.push(record);
      else if (!isDeepStrictEqual(before, record)) changed.push(record);
      const signal_id = signals.get(`${opportunity.id} ${partner_id}`) ?? null;
      wanted.push(...evidence.map((line) => toEvidence(record.id, line, signal_id)));
    }
  }

  const derived = new Set(wanted.map((line) => line.record_id));
  for (const records of held.values()) {
    for (const record of records) if (credits.has(record.opportunity_id)) derived.add(record.id);
  }
  if (created.length + changed.length > 0) await upsertRecords(tx, orgId, [...created, ...changed], now);
  const reworded = await writeEvidence(tx, orgId, [...derived], wanted);
  const isNew = new Set(created.map((record) => record.id));
  const mine = new Set([...held.values()].flat().map((record) => record.id));
  const updated = new Set([
    ...changed.map((record) => record.id),
    ...reworded,
    ...alsoChanged.filter((id) => mine.has(id)),
  ]);
  await emitAttributionEvents(tx, orgId, 'attribution.created', [...isNew], { deliver, now });
  const onlyUpdated = [...updated].filter((id) => !isNew.has(id));
  await emitAttributionEvents(tx, orgId, 'attribution.updated', onlyUpdated, { deliver, now });
}

/** The version in force at the end of the day on which the deal closed, or the first version if it closed earlier. */
export function policyInForce(versions: SettingsVersion[], closedDate: string): SettingsVersion {
  return (
    versions.findLast((version) => isoDay(version.created_at) <= closedDate) ??
    (versions[0] as SettingsVersion)
  );
}

type SharedCredit = Credit & { external_id: string; credited_value: number };

/** The credit for each of these won deals under the policy given for it; only reads. */
export async function deriveCredits(
  db: Reader,
  orgId: OrganizationId,
  opportunities: OpportunityToCredit[],
  policyOf: (opportunity: OpportunityToCredit) => Settings,
  held: Map<OpportunityId, RecordRow[]>,
): Promise<Map<OpportunityId, SharedCredit[]>> {
  const organization = await findOrganization(db, orgId);
  const spans = opportunities.map((opportunity) => ({
    ...opportunity,
    ...evidenceSpan(opportunity, policyOf(opportunity)),
  }));
  const rows = spans.length > 0 ? await findOpportunityActivities(db, orgId, spans) : [];
  const activities = groupBy(rows, (row) => row.opportunity_id);
  return new Map(
    opportunities.map((opportunity) => {
      const settings = policyOf(opportunity);
      const partners = opportunityPartners(
        activities.get(opportunity.id) ?? [],
        held.get(opportunity.id) ?? [],
        settings.trust_source_recorded_at,
      );
      const facts = {
        opened_at: opportunity.opened_at,
        closed_date: opportunity.closed_date,
        organization_created_at: organization?.created_at ?? opportunity.opened_at,
      };
      const credited = creditOpportunity(facts, partners, settings).map((credit, index) => ({
        ...credit,
        external_id: partners[index]?.external_id ?? '',
      }));
      const shares = shareValue(opportunity, credited, settings.attribution.split);
      return [
        opportunity.id,
        credited.map((credit, index): SharedCredit => ({ ...credit, credited_value: shares[index] ?? 0 })),
      ];
    }),
  );
}

/** Every partner with activity on the deal, and every partner with a record, whose evidence may be gone. */
function opportunityPartners(
  rows: OpportunityActivityRow[],
  records: RecordRow[],
  trustSource: boolean,
): OpportunityPartner[] {
  const byPartner = groupBy(rows, (row) => row.partner_id);
  const pinned = new Map(records.map((record) => [record.partner_id, record.pinned ? record.tier : null]));
  const externalIds = new Map(records.map((record) => [record.partner_id, record.partner_external_id]));
  const ids = new Set([...byPartner.keys(), ...pinned.keys()]);
  return [...ids].map((partner_id) => {
    const own = byPartner.get(partner_id) ?? [];
    return {
      partner_id,
      external_id: own[0]?.partner_external_id ?? externalIds.get(partner_id) ?? partner_id,
      pinned_tier: pinned.get(partner_id) ?? null,
      activities: own.map((row) => ({
        ...row,
        recorded_at: (trustSource && row.source_recorded_at) || row.recorded_at,
      })),
    };
  });
}

function reversed(record: RecordRow): RecordRow {
  return { ...record, status: 'reversed', credited_value: 0 };
}

function toEvidence(
  record_id: AttributionId,
  line: EvidenceLine,
  signal: EvidenceRow['signal_id'],
): EvidenceRow {
  const subject = line.activity_id ?? line.kind;
  return {
    id: newId('evd'),
    record_id,
    subject,
    signal_id: line.kind === 'pre_intent' ? signal : null,
    ...line,
  };
}

/**
 * Replaces the derived evidence of these records, keeping the ID of evidence that stays, and returns the records that
 * changed.
 */
async function writeEvidence(
  tx: Tx,
  orgId: OrganizationId,
  recordIds: AttributionId[],
  wanted: EvidenceRow[],
): Promise<AttributionId[]> {
  if (recordIds.length === 0) return [];
  const keyOf = (line: EvidenceRow) => `${line.record_id} ${line.subject}`;
  const known = new Map((await findEvidence(tx, orgId, recordIds)).map((line) => [keyOf(line), line]));
  const write: EvidenceRow[] = [];
  for (const line of wanted) {
    const before = known.get(keyOf(line));
    known.delete(keyOf(line));
    const kept = { ...line, id: before?.id ?? line.id };
    if (!isDeepStrictEqual(before, kept)) write.push(kept);
  }
  // Evidence from a dispute is not derived, so it stays.
  const gone = [...known.values()].filter((line) => line.kind !== 'dispute');
  if (write.length > 0) await upsertEvidence(tx, orgId, write);
  if (gone.length > 0) await deleteEvidence(tx, orgId, gone);
  return [...new Set([...write, ...gone].map((line) => line.record_id))];
}
