import type { Tier } from '../contract/activity.ts';
import type { ActivityId, AttributionId, EvidenceId, OrganizationId, SignalId } from '../contract/ids.ts';
import type { Queryable, Tx } from './connection.ts';

export type Evidence = {
  id: EvidenceId;
  kind: string;
  tier_supported: Tier | null;
  occurred_at: Date;
  recorded_at: Date;
  summary: string;
  activity_id: ActivityId | null;
  signal_id: SignalId | null;
  counted: boolean;
  reason: string;
};

export type HeldEvidence = Evidence & { record_id: AttributionId; subject: string };

const columns = `id, kind, tier_supported, occurred_at, recorded_at, summary, activity_id, signal_id, counted, reason`;

/** Oldest first. */
export async function listEvidence(
  db: Queryable,
  orgId: OrganizationId,
  recordId: AttributionId,
): Promise<Evidence[]> {
  const { rows } = await db.query<Evidence>({
    name: 'list_evidence',
    text: `
      select ${columns} from attribution_evidence where org_id = $1 and record_id = $2
      order by occurred_at, recorded_at, subject`,
    values: [orgId, recordId],
  });
  return rows;
}

export async function findEvidence(
  db: Queryable,
  orgId: OrganizationId,
  recordIds: AttributionId[],
): Promise<HeldEvidence[]> {
  const { rows } = await db.query<HeldEvidence>({
    name: 'find_evidence',
    text: `select record_id, subject, ${columns} from attribution_evidence where org_id = $1 and record_id = any($2)`,
    values: [orgId, recordIds],
  });
  return rows;
}

export async function upsertEvidence(tx: Tx, orgId: OrganizationId, lines: HeldEvidence[]): Promise<void> {
  await tx.query({
    name: 'upsert_evidence',
    text: `
      insert into attribution_evidence (org_id, record_id, subject, ${columns})
      select $1, record_id, subject, ${columns}
      from jsonb_to_recordset($2) as r (
        record_id text, subject text, id text, kind text, tier_supported text, occurred_at timestamptz,
        recorded_at timestamptz, summary text, activity_id text, signal_id text, counted boolean, reason text)
      on conflict (org_id, record_id, subject) do update
      set kind = excluded.kind, tier_supported = excluded.tier_supported, occurred_at = excluded.occurred_at,
        recorded_at = excluded.recorded_at, summary = excluded.summary, activity_id = excluded.activity_id,
        signal_id = excluded.signal_id, counted = excluded.counted, reason = excluded.reason`,
    values: [orgId, JSON.stringify(lines)],
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
