import { Choice } from '../ui/choices.tsx';
import { lastTwelveMonths, type Period, quarters } from './period.ts';

type Props<T extends Period> = { to: '/attribution' | '/partners'; search: T; label: string };

/** Quarters in one click. */
export function PeriodChoices<T extends Period>({ to, search, label }: Props<T>) {
  const now = new Date();
  const any = { name: 'Any time', from: undefined, to: undefined };
  return (
    <fieldset className="line choices">
      <legend>{label}</legend>
      {[any, ...quarters(now, 4), lastTwelveMonths(now)].map((period) => (
        <Choice
          key={period.name}
          to={to}
          search={{ ...search, from: period.from, to: period.to } as object}
          chosen={search.from === period.from && search.to === period.to}
        >
          {period.name}
        </Choice>
      ))}
    </fieldset>
  );
}
