import { useId } from 'react';
import { type Tier, tiers, tierWords } from '../../../src/vocabulary.ts';
import { formatWholeMoney } from '../format/numbers.ts';
import { capitalize } from '../format/words.ts';
import { fillOf, Patterns } from './months.tsx';

type Props = { value: Record<Tier, number>; currency: string; of: number };

/** One bar, divided by tier; its length is relative to the largest value. */
export function TierBar({ value, currency, of }: Props) {
  const id = useId();
  const label = tiers
    .map((tier) => `${tierWords[tier]} ${formatWholeMoney(value[tier], currency)}`)
    .join(', ');
  let before = 0;
  return (
    <svg className="tier-bar" role="img" aria-label={capitalize(label)}>
      <title>{capitalize(label)}</title>
      <Patterns id={id} />
      {tiers.map((tier) => {
        const width = of > 0 ? (100 * value[tier]) / of : 0;
        const x = before;
        before += width;
        if (width === 0) return null;
        return (
          <rect
            key={tier}
            className="bar"
            fill={fillOf(id, tier)}
            x={`${x}%`}
            width={`${width}%`}
            height="100%"
          />
        );
      })}
    </svg>
  );
}
