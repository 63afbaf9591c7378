import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';

type ChoiceProps = ComponentProps<'a'> & { chosen: boolean; count?: string | undefined };

/** One value of a filter. It is a link because the URL keeps the filters. */
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
