import { Button } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { icons } from './icons.tsx';

type Props = {
  /** The value of each filter; those that are undefined filter nothing. */
  active: unknown[];
  /** Stays in view where the filters are behind a button. */
  first?: ReactNode;
  children: ReactNode;
};

/** The filters of a list. Without room for them, they are behind a button that says how many are active. */
export function Filters({ active, first, children }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const count = active.filter((value) => value !== undefined).length;
  return (
    <search className="line filters" aria-label="Filters">
      {first}
      <Button
        variant="default"
        className="filters-button"
        leftSection={icons.filters}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        Filters
        {count > 0 && (
          <span className="filters-count">
            {count}
            <span className="unseen"> active</span>
          </span>
        )}
      </Button>
      <div className="line filters-all" id={id} data-open={open}>
        {children}
      </div>
    </search>
  );
}
