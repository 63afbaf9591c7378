import { useLocalStorage } from '@mantine/hooks';
import { icons } from '../ui/icons.tsx';

const densities = { comfortable: 'Comfortable', compact: 'Compact' } as const;
export type Density = keyof typeof densities;

/** The height of the rows, which this browser remembers. */
export function useDensity() {
  return useLocalStorage<Density>({
    key: 'partner-signals.density',
    defaultValue: 'comfortable',
    getInitialValueInEffect: false,
  });
}

type Props = { density: Density; onChange(density: Density): void };

export function DensityChoice({ density, onChange }: Props) {
  return (
    <fieldset className="segments">
      <legend className="unseen">Row height</legend>
      {(Object.keys(densities) as Density[]).map((value) => (
        <button key={value} type="button" aria-pressed={value === density} onClick={() => onChange(value)}>
          {icons[value]}
          <span>{densities[value]}</span>
        </button>
      ))}
    </fieldset>
  );
}
