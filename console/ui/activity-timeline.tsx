import type { Activity } from '../../src/client/types.ts';
import { Dotted } from './parts.tsx';
import { Ago } from './time.tsx';
import { inWords } from './words.ts';

type Entry = Activity & { note?: string | undefined; where?: string };

/** Newest first. An entry with a note stands out: it is what a signal rests on. */
export function ActivityTimeline({ activities }: { activities: Entry[] }) {
  return (
    <ol className="timeline">
      {activities.map(({ id, kind, occurred_at, summary, actor, source, note, where }) => (
        <li key={id} data-noted={note !== undefined}>
          <p className="timeline-head">
            <span className="strong">{inWords(kind)}</span>
            {note && <span className="note-tag">{note}</span>}
            <span className="soft small">
              <Ago at={occurred_at} />
            </span>
          </p>
          <p>{summary}</p>
          <p className="soft small">
            <Dotted texts={[where, actor, source && inWords(source)]} />
          </p>
        </li>
      ))}
    </ol>
  );
}
