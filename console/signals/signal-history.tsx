import type { SignalDetail } from '../../src/client/types.ts';
import { Author } from '../ui/author.tsx';
import { Ago } from '../ui/format/time.tsx';
import { StatusMark } from '../ui/tags.tsx';

/** People dismiss signals; on their own, signals expire. */
function isDismissal({ to, changed_by }: SignalDetail['history'][number]): boolean {
  return to === 'expired' && changed_by.key_id !== null;
}

export function SignalHistory({ history }: Pick<SignalDetail, 'history'>) {
  if (history.length === 0) return <p className="soft">No changes yet.</p>;
  return (
    <ol className="timeline" aria-label="History">
      {history.toReversed().map((change) => (
        <li key={`${change.changed_at} ${change.to} ${change.note}`}>
          <p className="timeline-head">
            {change.from === change.to ? (
              <span className="strong">{change.note === null ? 'Assignment' : 'Note'}</span>
            ) : (
              <StatusMark status={isDismissal(change) ? 'dismissed' : change.to} />
            )}
            <span className="soft small">
              <Author by={change.changed_by} />, <Ago at={change.changed_at} />
            </span>
          </p>
          {change.assignee !== undefined && (
            <p className="small">
              {change.assignee ? (
                <>
                  Assigned to <bdi>{change.assignee.name}</bdi>
                </>
              ) : (
                'Unassigned'
              )}
            </p>
          )}
          {change.note && <p className="written">{change.note}</p>}
        </li>
      ))}
    </ol>
  );
}
