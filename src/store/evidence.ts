import { type Evidence, EvidenceSchema } from '../contract/attribution.ts';
import type { ActivityId, AttributionId, EvidenceId, OrganizationId, SignalId } from '../contract/ids.ts';
import type { Tier } from '../vocabulary.ts';
import { boolean, columns, fieldsOf, type Row, text, timestamptz } from './columns.ts';
import { all, type Queryable, type Tx } from './tx.ts';

const held = columns({
  record_id: text<AttributionId>(),
  subject: text(),
  id: text<EvidenceId>(),
  kind: text<Evidence['kind']>(),
  tier_supported: text<Tier | null>(),
  occurred_at: timestamptz(),
  recorded_at: timestamptz(),
  summary: text(),
  activity_id: text<ActivityId | null>(),
  signal_id: text<SignalId | null>(),
  counted: boolean(),
  reason: text(),
});
export type HeldEvidence = Row<typeof held>;

/** Oldest first. */
export async function listEvidence(
  db: Queryable,
  orgId: OrganizationId,
  recordId: AttributionId,
): Promise<Evidence[]> {
  return all<Evidence>(db, {
    name: 'list_evidence',
    text: `
      select ${fieldsOf(EvidenceSchema)} from attribution_evidence where org_id = $1 and record_id = $2
      order by occurred_at, recorded_at, subject`,
    values: [orgId, recordId],
  });
}

export async function findEvidence(
  db: Queryable,
  orgId: OrganizationId,
  recordIds: AttributionId[],
): Promise<HeldEvidence[]> {
  return all<HeldEvidence>(db, {
    name: 'find_evidence',
    text: `select ${held.list} from attribution_evidence where org_id = $1 and record_id = any($2)`,
    values: [orgId, recordIds],
  });
}

export async function upsertEvidence(tx: Tx, orgId: OrganizationId, lines: HeldEvidence[]): Promise<void> {
  await tx.query({
    name: 'upsert_evidence',
    text: `
      insert into attribution_evidence (org_id, ${held.list})
      select $1, ${held.list} from ${held.unnest(2)}
      on conflict (org_id, record_id, subject) do update set ${held.excluded('record_id', 'subject', 'id')}`,
    values: [orgId, ...held.arrays(lines)],
  });
}

export async function deleteEvidence(
  tx: Tx,
  orgId: OrganizationId,
  lines: { record_id: AttributionId; subject: string }[],
): Promise<void> {
  await tx.query({
    name: 'delete_evidence',
    text: `
      delete from attribution_evidence e using unnest($2::text[], $3::text[]) as g (record_id, subject)
      where e.org_id = $1 and e.record_id = g.record_id and e.subject = g.subject`,
    values: [orgId, lines.map((line) => line.record_id), lines.map((line) => line.subject)],
  });
}
