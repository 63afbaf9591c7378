import type { ReactNode } from 'react';

/** A table that is wider than the screen scrolls by itself, also by keyboard. */
export function ScrollRegion({
  label,
  className = '',
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={`scroll ${className}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
