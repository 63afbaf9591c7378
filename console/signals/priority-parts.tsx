import type { SignalDetail } from '../../src/client/types.ts';
import { priorityParts, priorityPartTable } from '../../src/vocabulary.ts';
import { capitalize } from '../ui/format/words.ts';

/** The priority, with the score of each part in the order of the settings. */
export function PriorityParts({ signal: { priority, priority_parts } }: { signal: SignalDetail }) {
  if (priority === null || !priority_parts) return null;
  return (
    <>
      <h3>Priority {priority} of 100</h3>
      <dl className="parts">
        {priorityParts.map((part) => (
          <div key={part}>
            <dt className="soft">{capitalize(priorityPartTable[part].words)}</dt>
            <dd>
              <meter className="meter" min={0} max={100} value={priority_parts[part]} aria-hidden="true" />
              <span className="value">{priority_parts[part]}</span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
