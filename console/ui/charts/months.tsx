import { type CSSProperties, useId } from 'react';
import { type Tier, tiers, tierWords } from '../../../src/vocabulary.ts';
import { formatCompactMoney, formatMoney, type MonthOfTiers } from '../format/numbers.ts';
import { formatMonth } from '../format/time.tsx';
import { capitalize } from '../format/words.ts';
import { TableHead } from '../listing.tsx';
import { ScrollRegion } from '../scroll-region.tsx';
import { usePoints } from './use-points.ts';

type Props = {
  months: MonthOfTiers[];
  currency: string;
  label: string;
};

/**
 * Bars by month, stacked by tier. Tiers differ by pattern as well as by color. The exact values of a month appear by mouse,
 * touch or arrow keys, and all of them are in a table behind the chart. All lengths are percentages: the drawing has no
 * scale of its own, so text keeps its size on every screen.
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
  const { shown, area, slider } = usePoints(months.length);
  const point = shown === undefined ? undefined : months[shown];
  return (
    <figure className="chart">
      <figcaption className="line chart-head">
        <span className="soft small">Credited value in {currency}, by closing month</span>
        <ul className="legend" aria-hidden="true">
          {tiers.map((tier) => (
            <li key={tier}>
              <Swatch tier={tier} />
              {capitalize(tierWords[tier])}
            </li>
          ))}
        </ul>
      </figcaption>
      <div className="plot">
        <div className="axis soft" aria-hidden="true">
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{formatCompactMoney(value, currency)}</span>
          ))}
        </div>
        <div className="bars-area" {...area}>
          <svg className="bars" role="img" aria-label={summary}>
            <Patterns id={id} />
            {shown !== undefined && (
              <rect
                className="chosen-month"
                x={`${(100 * shown) / months.length}%`}
                width={`${100 / months.length}%`}
                height="100%"
              />
            )}
            {['0%', '50%', '100%'].map((y) => (
              <line key={y} x1="0" x2="100%" y1={y} y2={y} className="grid-line" />
            ))}
            {months.map((month, index) => (
              <Bar key={month.month} id={id} month={month} index={index} count={months.length} top={top} />
            ))}
          </svg>
          {months.length > 0 && (
            <input
              {...slider}
              type="range"
              className="points"
              aria-label={`${label}: values by month`}
              aria-valuetext={inWords(months[slider.value] as MonthOfTiers, currency)}
            />
          )}
          {point && shown !== undefined && (
            <Tip month={point} currency={currency} at={(100 * (shown + 0.5)) / months.length} />
          )}
        </div>
        <div className="month-names soft" aria-hidden="true" data-every={Math.ceil(months.length / 8)}>
          {months.map(({ month }) => (
            <span key={month}>{formatMonth(month).slice(0, 3)}</span>
          ))}
        </div>
        <div className="year-names soft" aria-hidden="true">
          {yearsOf(months).map(([year, count]) => (
            <span key={year} style={{ flexGrow: count }}>
              {year}
            </span>
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

function Swatch({ tier }: { tier: Tier }) {
  const id = useId();
  return (
    <svg width="14" height="14" aria-hidden="true">
      <Patterns id={id} />
      <rect width="14" height="14" rx="3" className="bar" fill={fillOf(id, tier)} />
    </svg>
  );
}

/** The exact values of a month; `at` is the middle of its bar in percent. Screen readers get them from the slider. */
function Tip({ month, currency, at }: { month: MonthOfTiers; currency: string; at: number }) {
  return (
    <div className="tip card" aria-hidden="true" style={{ '--at': `${at}%` } as CSSProperties}>
      <p className="strong">{formatMonth(month.month)}</p>
      <dl>
        {tiers.map((tier) => (
          <div key={tier}>
            <dt>
              <Swatch tier={tier} /> {capitalize(tierWords[tier])}
            </dt>
            <dd className="number">{formatMoney(month[tier], currency)}</dd>
          </div>
        ))}
        <div className="strong">
          <dt>Total</dt>
          <dd className="number">{formatMoney(totalOf(month), currency)}</dd>
        </div>
      </dl>
    </div>
  );
}

function inWords(month: MonthOfTiers, currency: string): string {
  const parts = tiers
    .filter((tier) => month[tier] > 0)
    .map((tier) => `${tierWords[tier]} ${formatMoney(month[tier], currency)}`);
  const total = `${formatMonth(month.month)}: ${formatMoney(totalOf(month), currency)}`;
  return parts.length > 0 ? `${total} (${parts.join(', ')})` : total;
}

/** The years of the months, with the number of months of each. */
function yearsOf(months: MonthOfTiers[]): [year: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { month } of months) {
    const year = month.slice(0, 4);
    counts.set(year, (counts.get(year) ?? 0) + 1);
  }
  return [...counts];
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
