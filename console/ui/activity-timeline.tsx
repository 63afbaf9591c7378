import { Fragment, type ReactNode } from 'react';
import type { Activity } from '../../src/client/types.ts';
import { activityKindTable } from '../../src/vocabulary.ts';
import { Ago } from './format/time.tsx';
import { capitalize } from './format/words.ts';

type Entry = Activity & { note?: string | undefined; where?: ReactNode };

/** Newest first. An entry with a note stands out. */
export function ActivityTimeline({ activities }: { activities: Entry[] }) {
  return (
    <ol className="timeline">
      {activities.map(({ id, kind, occurred_at, summary, actor, source, note, where }) => (
        <li key={id} data-noted={note !== undefined}>
          <p className="timeline-head">
            <span className="strong">{capitalize(activityKindTable[kind].words)}</span>
            {note && <span className="note-tag">{note}</span>}
            <span className="soft small">
              <Ago at={occurred_at} />
            </span>
          </p>
          <p>{summary}</p>
          <p className="soft small">
            <Dotted texts={[where, actor, source && `source: ${source}`]} />
          </p>
        </li>
      ))}
    </ol>
  );
}

function Dotted({ texts }: { texts: ReactNode[] }) {
  return texts.filter(Boolean).map((text, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two of them may be the same, and none ever moves
    <Fragment key={index}>
      {index > 0 && ' · '}
      <bdi>{text}</bdi>
    </Fragment>
  ));
}
