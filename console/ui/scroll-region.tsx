import type { ReactNode } from 'react';

type Props = { label: string; className?: string; children: ReactNode };

/** A table that is wider than the screen scrolls by itself, also by keyboard. */
export function ScrollRegion({ label, className = '', children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={`scroll ${className}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
