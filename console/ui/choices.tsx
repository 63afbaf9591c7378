import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { capitalize } from './words.ts';

type LinkProps = ComponentProps<'a'> & { chosen: boolean; count?: string | undefined };

/** One value of a filter. It is a link because the URL keeps the filters. */
export const Choice = createLink(({ chosen, count, children, ...link }: LinkProps) => (
  <a {...link} className="choice" aria-current={chosen ? 'true' : undefined}>
    {children}
    {count !== undefined && <span className="count"> {count}</span>}
  </a>
));

type ChoicesProps<T extends string | number> = {
  label: string;
  values: readonly T[];
  /** Where they differ from the values. */
  words?: Record<T, string>;
  /** What no value is called. */
  all?: string;
  /** Makes the choice of a value, or of none. */
  children: (value: T | undefined, text: ReactNode) => ReactNode;
};

export function Choices<T extends string | number>({
  label,
  values,
  words,
  all = 'All',
  children,
}: ChoicesProps<T>) {
  return (
    <fieldset className="choices">
      <legend>{label}</legend>
      {children(undefined, all)}
      {values.map((value) => children(value, words ? capitalize(words[value]) : value))}
    </fieldset>
  );
}
