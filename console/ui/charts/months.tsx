import { useId } from 'react';
import { type Tier, tiers, tierWords } from '../../../src/vocabulary.ts';
import { TableHead } from '../listing.tsx';
import { formatCompactMoney, formatMoney, type MonthOfTiers } from '../numbers.ts';
import { ScrollRegion } from '../scroll-region.tsx';
import { formatMonth } from '../time.tsx';
import { capitalize } from '../words.ts';

type Props = { months: MonthOfTiers[]; currency: string; label: string };

/**
 * Bars by month, stacked by tier. Tiers differ by pattern as well as by color, and the numbers are in a table behind it.
 * All lengths are percentages: the drawing has no scale of its own, so text keeps its size on every screen.
 */
export function MonthsChart({ months, currency, label }: Props) {
  const id = useId();
  const totals = months.map(totalOf);
  const top = roundUp(Math.max(...totals, 1));
  const best = months[totals.indexOf(Math.max(...totals))];
  const summary =
    best && totalOf(best) > 0
      ? `${label}. Highest: ${formatMoney(totalOf(best), currency)} in ${formatMonth(best.month)}.`
      : `${label}. Nothing in these months.`;
  return (
    <figure className="chart">
      <ul className="legend" aria-hidden="true">
        {tiers.map((tier) => (
          <li key={tier}>
            <svg width="14" height="14" aria-hidden="true">
              <Patterns id={`${id}-legend-${tier}`} />
              <rect
                width="14"
                height="14"
                rx="3"
                className="bar"
                fill={fillOf(`${id}-legend-${tier}`, tier)}
              />
            </svg>
            {capitalize(tierWords[tier])}
          </li>
        ))}
      </ul>
      <div className="plot">
        <div className="axis soft" aria-hidden="true">
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{formatCompactMoney(value, currency)}</span>
          ))}
        </div>
        <svg className="bars" role="img" aria-label={summary}>
          <Patterns id={id} />
          {['0%', '50%', '100%'].map((y) => (
            <line key={y} x1="0" x2="100%" y1={y} y2={y} className="grid-line" />
          ))}
          {months.map((month, index) => (
            <Bar key={month.month} id={id} month={month} index={index} count={months.length} top={top} />
          ))}
        </svg>
        <div className="month-names soft" aria-hidden="true" data-count={months.length}>
          {months.map(({ month }) => (
            <span key={month}>{formatMonth(month).slice(0, 3)}</span>
          ))}
        </div>
      </div>
      <details className="behind">
        <summary>Show as table</summary>
        <ScrollRegion label={`${label}, table`}>
          <table className="table compact">
            <TableHead
              columns={['Month']}
              numbers={[...tiers.map((tier) => capitalize(tierWords[tier])), 'Total']}
            />
            <tbody>
              {months.map((month) => (
                <tr key={month.month}>
                  <th scope="row">{formatMonth(month.month)}</th>
                  {tiers.map((tier) => (
                    <td key={tier} className="number">
                      {formatMoney(month[tier], currency)}
                    </td>
                  ))}
                  <td className="number">{formatMoney(totalOf(month), currency)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      </details>
    </figure>
  );
}

type BarProps = { id: string; month: MonthOfTiers; index: number; count: number; top: number };

function Bar({ id, month, index, count, top }: BarProps) {
  const slot = 100 / count;
  let below = 0;
  return tiers.map((tier) => {
    const height = (100 * month[tier]) / top;
    below += height;
    if (height === 0) return null;
    return (
      <rect
        key={tier}
        className="bar"
        fill={fillOf(id, tier)}
        x={`${(index + 0.2) * slot}%`}
        width={`${0.6 * slot}%`}
        y={`${100 - below}%`}
        height={`${height}%`}
      />
    );
  });
}

/** Sourced is solid, co-sell striped and influenced dotted. */
export function Patterns({ id }: { id: string }) {
  return (
    <defs>
      <pattern
        id={`${id}co_sell`}
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="6" height="6" fill="color-mix(in srgb, var(--co-sell) 55%, var(--surface))" />
        <rect width="3" height="6" fill="var(--co-sell)" />
      </pattern>
      <pattern id={`${id}influenced`} width="5" height="5" patternUnits="userSpaceOnUse">
        <rect width="5" height="5" fill="color-mix(in srgb, var(--overlap) 22%, var(--surface))" />
        <circle cx="2.5" cy="2.5" r="1.4" fill="var(--overlap)" />
      </pattern>
    </defs>
  );
}

export function fillOf(id: string, tier: Tier): string {
  return tier === 'sourced' ? 'var(--pre-intent)' : `url(#${id}${tier})`;
}

function totalOf(month: Record<Tier, number>): number {
  return tiers.reduce((sum, tier) => sum + month[tier], 0);
}

/** To a number that reads well on an axis: 1, 2, 4, 5 or 10 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}
