import { type ReactNode, useEffect, useRef } from 'react';

/** Takes the focus when its page or panel opens, so that screen readers continue there. */
export function ArrivalHeading({ level, children }: { level: 1 | 2; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The router scrolls pages: to the top, or to where they were on Back. A panel comes into view by its focus.
    heading.current?.focus({ preventScroll: level === 1 });
  }, [level]);
  const Heading = `h${level}` as const;
  return (
    <Heading ref={heading} tabIndex={-1}>
      {children}
    </Heading>
  );
}
