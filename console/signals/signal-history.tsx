import type { SignalDetail } from '../../src/client/types.ts';
import { Author, StateMark } from '../ui/parts.tsx';
import { Ago } from '../ui/time.tsx';

type Change = SignalDetail['history'][number];

export function SignalHistory({ history }: { history: Change[] }) {
  if (history.length === 0) return <p className="soft">Nobody has worked on it yet.</p>;
  return (
    <ol className="timeline" aria-label="History">
      {history.toReversed().map((change) => (
        <li key={`${change.changed_at} ${change.to} ${change.note}`}>
          <p className="timeline-head">
            {change.from === change.to ? (
              <span className="strong">Note</span>
            ) : (
              <StateMark state={change.to} />
            )}
            <span className="soft small">
              <Author by={change.changed_by} />, <Ago at={change.changed_at} />
            </span>
          </p>
          {change.note && <p className="written">{change.note}</p>}
        </li>
      ))}
    </ol>
  );
}
