import { useId } from 'react';
import { type Tier, tiers } from '../../../src/vocabulary.ts';
import { fillOf, Patterns } from './months.tsx';

/** One bar, divided by tier; its length is relative to the largest value. The numbers are next to it. */
export function TierBar({ value, of }: { value: Record<Tier, number>; of: number }) {
  const id = useId();
  let before = 0;
  return (
    <svg className="tier-bar" aria-hidden="true">
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
