import { Link } from '@tanstack/react-router';
import type { Evidence } from '../../src/client/types.ts';
import { tierWords } from '../../src/vocabulary.ts';
import { Exact } from '../ui/format/time.tsx';
import { evidenceLabel } from '../ui/format/words.ts';
import { Section } from '../ui/section.tsx';

/** Oldest first. Evidence that did not count is listed too, with the reason. */
export function EvidenceLog({ evidence, closedDate }: { evidence: Evidence[]; closedDate: string }) {
  const counted = evidence.filter((line) => line.counted).length;
  return (
    <Section id="evidence" title="Evidence">
      <p className="soft">
        {evidence.length === 0
          ? 'All evidence for this record has been deleted.'
          : `${counted} of ${evidence.length} counted. Oldest first.`}
      </p>
      {evidence.some((line) => countsThoughLate(line, closedDate)) && (
        <p className="advice small">
          Some evidence was loaded after the deal was closed and still counts. The deal was closed before your
          organization started to use Partner Signals, so its evidence counts by the day it happened. For
          later deals, evidence must be recorded by the closing day.
        </p>
      )}
      <ol className="timeline" aria-label="Evidence, oldest first">
        {evidence.map((line) => (
          <Line key={line.id} line={line} late={countsThoughLate(line, closedDate)} />
        ))}
      </ol>
    </Section>
  );
}

/**
 * Only history from before the organization started counts late: the rules ignore everything else recorded after the close.
 */
function countsThoughLate({ counted, kind, recorded_at }: Evidence, closedDate: string): boolean {
  return counted && kind !== 'dispute' && recorded_at.slice(0, 10) > closedDate;
}

function Line({ line, late }: { line: Evidence; late: boolean }) {
  const { kind, tier_supported, counted, occurred_at, recorded_at, summary, reason, signal_id } = line;
  return (
    <li className="evidence" data-noted={counted}>
      <p className="timeline-head">
        <span className="strong">{evidenceLabel(kind)}</span>
        <span className={counted ? 'note-tag' : 'note-tag not-counted'}>
          {counted ? `Counted${tier_supported ? ` as ${tierWords[tier_supported]}` : ''}` : 'Did not count'}
        </span>
      </p>
      <p className={counted ? undefined : 'soft'}>{summary}</p>
      <p className="evidence-reason">
        <span className="strong">{counted ? 'Why it counted:' : 'Why it did not count:'}</span> {reason}
      </p>
      <p className="soft small">
        <Exact at={occurred_at} />, recorded <Exact at={recorded_at} />
        {late && ' (loaded as history)'}
        {signal_id && (
          <>
            {' · '}
            <Link to="/signals/$signalId" params={{ signalId: signal_id }}>
              view signal
            </Link>
          </>
        )}
      </p>
    </li>
  );
}
