import { type ReactNode, useEffect, useRef } from 'react';

/** Takes the focus when its page or panel opens, so that screen readers continue there. */
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
