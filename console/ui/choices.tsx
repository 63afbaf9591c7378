import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { capitalize } from './format/words.ts';

type LinkProps = ComponentProps<'a'> & { chosen: boolean; count?: string | undefined };

/** One value of a filter. It is a link because the URL keeps the filters. */
export const Choice = createLink(({ chosen, count, children, ...link }: LinkProps) => (
  <a {...link} className="choice" aria-current={chosen ? 'true' : undefined}>
    {children}
    {count !== undefined && <span className="count"> {count}</span>}
  </a>
));

type Value<Search, Name extends keyof Search> = Extract<Search[Name], string | number>;

type ChoicesProps<Search, Name extends keyof Search> = {
  label: string;
  to: '/signals' | '/partners' | '/attribution';
  /** The filters in the URL of the page, and the one to choose. */
  search: Search;
  name: Name;
  values: readonly Value<Search, Name>[];
  /** Labels that differ from the values. */
  words?: Record<Value<Search, Name>, string>;
  /** The label for no value. */
  all?: string;
  count?: (value: Value<Search, Name> | undefined) => string | undefined;
};

export function Choices<Search, Name extends keyof Search>({
  label,
  to,
  search,
  name,
  values,
  words,
  all = 'All',
  count,
}: ChoicesProps<Search, Name>) {
  return (
    <fieldset className="line choices">
      <legend>{label}</legend>
      {[undefined, ...values].map((value) => (
        <Choice
          key={value ?? ''}
          to={to}
          search={{ ...search, [name]: value } as object}
          chosen={search[name] === value}
          count={count?.(value)}
        >
          {value === undefined ? all : words ? capitalize(words[value]) : value}
        </Choice>
      ))}
    </fieldset>
  );
}
