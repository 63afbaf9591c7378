import { type Evidence, EvidenceSchema } from '../../contract/attribution.ts';
import type { ActivityId, AttributionId, EvidenceId, SignalId } from '../../contract/ids.ts';
import type { Tier } from '../../vocabulary.ts';
import { arraysOf, boolean, columns, fieldsOf, type Row, text, timestamptz } from '../db/columns.ts';
import { rowsOf, run } from '../db/statement.ts';

const evidenceColumns = columns({
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
export type EvidenceRow = Row<typeof evidenceColumns>;

/** Oldest first. */
export const listEvidence = rowsOf<Evidence, [recordId: AttributionId]>({
  name: 'list_evidence',
  text: `
    select ${fieldsOf(EvidenceSchema)} from attribution_evidence where org_id = $1 and record_id = $2
    order by occurred_at, recorded_at, subject`,
});

export const findEvidence = rowsOf<EvidenceRow, [recordIds: AttributionId[]]>({
  name: 'find_evidence',
  text: `select ${evidenceColumns.list} from attribution_evidence where org_id = $1 and record_id = any($2)`,
});

export const upsertEvidence = run<[lines: EvidenceRow[]]>({
  name: 'upsert_evidence',
  writes: ['attribution_evidence'],
  text: `
    insert into attribution_evidence (org_id, ${evidenceColumns.list})
    select $1, ${evidenceColumns.list} from ${evidenceColumns.unnest(2)}
    on conflict (org_id, record_id, subject) do update set ${evidenceColumns.excluded('record_id', 'subject', 'id')}`,
  values: evidenceColumns.arrays,
});

export const deleteEvidence = run<[lines: { record_id: AttributionId; subject: string }[]]>({
  name: 'delete_evidence',
  writes: ['attribution_evidence'],
  text: `
    delete from attribution_evidence e using unnest($2::text[], $3::text[]) as g (record_id, subject)
    where e.org_id = $1 and e.record_id = g.record_id and e.subject = g.subject`,
  values: (lines) => arraysOf(lines, 'record_id', 'subject'),
});
