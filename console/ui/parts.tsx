import { Button, Skeleton } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type ComponentProps, Fragment, type ReactNode, useEffect, useRef } from 'react';
import { ClientError } from '../../src/client/client-error.ts';
import type { Tier } from '../../src/contract/activity.ts';
import type { SignalType } from '../../src/contract/signal.ts';
import { markWords, tierWords, typeWords } from './words.ts';

export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <circle cx="12.5" cy="16" r="8.5" stroke="currentColor" strokeWidth="2.6" />
      <circle cx="19.5" cy="16" r="8.5" stroke="currentColor" strokeWidth="2.6" opacity=".55" />
    </svg>
  );
}

export function TypeTag({ type }: { type: SignalType }) {
  return (
    <span className="tag" data-type={type}>
      {typeWords[type]}
    </span>
  );
}

export function TierTag({ tier }: { tier: Tier }) {
  return (
    <span className="tag" data-tier={tier}>
      {tierWords[tier]}
    </span>
  );
}

export function StateMark({ state }: { state: keyof typeof markWords }) {
  return (
    <span className="state" data-state={state}>
      {markWords[state]}
    </span>
  );
}

type By = { key_name: string | null; actor: string | null };

/** Who did something: the person where one is named, and the key that it was done with. */
export function Author({ by }: { by: By | null }) {
  if (!by?.key_name) return 'the service';
  const key = (
    <>
      key <bdi>{by.key_name}</bdi>
    </>
  );
  if (!by.actor) return key;
  return (
    <>
      <bdi>{by.actor}</bdi> ({key})
    </>
  );
}

export function Dotted({ texts }: { texts: (string | null | undefined)[] }) {
  return texts.filter(Boolean).map((text, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two of them may be the same, and none ever moves
    <Fragment key={index}>
      {index > 0 && ' · '}
      <bdi>{text}</bdi>
    </Fragment>
  ));
}

/** A heading that takes the focus when its page or panel opens, so that reading goes on from there. */
export function ArrivalHeading({ level, children }: { level: 1 | 2; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (level === 1) window.scrollTo(0, 0);
    heading.current?.focus();
  }, [level]);
  const Heading = `h${level}` as const;
  return (
    <Heading ref={heading} tabIndex={-1}>
      {children}
    </Heading>
  );
}

type ChoiceProps = ComponentProps<'a'> & { chosen: boolean; count?: string | undefined };

/** One choice of a filter, as a link, since the address is where filters are kept. */
export const Choice = createLink(({ chosen, count, children, ...link }: ChoiceProps) => (
  <a {...link} className="choice" aria-current={chosen ? 'true' : undefined}>
    {children}
    {count !== undefined && <span className="count"> {count}</span>}
  </a>
));

export function Choices({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className="choices">
      <legend>{label}</legend>
      {children}
    </fieldset>
  );
}

export function Loading({ rows = 6 }: { rows?: number }) {
  return (
    <div className="loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
        <Skeleton key={row} height={14} width={`${[62, 88, 74][row % 3]}%`} />
      ))}
    </div>
  );
}

export function Problem({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <div className="message" role="alert">
      <p className="strong">{error instanceof ClientError ? error.message : 'Something went wrong here.'}</p>
      {error instanceof ClientError && error.code === 'forbidden' && (
        <p className="soft">
          Sign out, and in again with a key that has it; whoever runs the service can issue one.
        </p>
      )}
      {error instanceof ClientError && error.request_id && (
        <p className="soft small">
          Request <code>{error.request_id}</code>
        </p>
      )}
      <Button variant="default" onClick={retry}>
        Try again
      </Button>
    </div>
  );
}

type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };

export function LoadMore({ pages, what }: { pages: Pages; what: string }) {
  if (!pages.hasNextPage) return null;
  return (
    <div className="more">
      <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        Load more {what}
      </Button>
    </div>
  );
}
