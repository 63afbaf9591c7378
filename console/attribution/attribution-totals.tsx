import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AttributionSummary } from '../../src/client/types.ts';
import { tiers } from '../../src/vocabulary.ts';
import { inOneCurrency, monthsOf } from '../credit/months.ts';
import { NoCurrency } from '../credit/no-currency.tsx';
import { type AttributionSearch, toQuery } from '../credit/period.ts';
import { attributionSummary } from '../credit/queries.ts';
import { useSession } from '../session/session.tsx';
import { MonthsChart } from '../ui/charts/months.tsx';
import { formatMoney, plural } from '../ui/format/numbers.ts';
import { Day } from '../ui/format/time.tsx';
import { Loaded } from '../ui/listing.tsx';
import { TierTag } from '../ui/tags.tsx';

type Amounts = AttributionSummary['totals'][number];
type Totals = Pick<AttributionSummary, 'totals' | 'by_tier'>;

/** The totals of the filtered records: in the reporting currency if there is one, with the original currencies behind. */
export function AttributionTotals({ filters }: { filters: AttributionSearch }) {
  const { client } = useSession();
  const query = useQuery(attributionSummary(client, toQuery(filters)));
  if (query.data?.totals.length === 0) return null;
  return (
    <section className="card totals" aria-label="Totals">
      <Loaded query={query} rows={3}>
        {(summary) => {
          const shown = inOneCurrency(summary);
          return (
            <>
              <Figures totals={summary.converted ?? summary} withTiers={!filters.tier} />
              <p className="soft small">
                Active records only. Each deal counts once in the total and once per credited tier, so tiers
                can add up to more than the total.
              </p>
              {summary.converted ? (
                <Originals summary={summary} converted={summary.converted} withTiers={!filters.tier} />
              ) : (
                !shown && <NoCurrency none={false} />
              )}
              {shown && (
                <MonthsChart
                  months={monthsOf(shown.totals, filters.from, filters.to)}
                  currency={shown.currency}
                  label="Credited value by month and tier"
                />
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function Figures({ totals: { totals, by_tier }, withTiers }: { totals: Totals; withTiers: boolean }) {
  return (
    <dl>
      <Total amounts={totals}>Total value</Total>
      {/* With a tier filter, the total is the tier's. */}
      {withTiers &&
        tiers.map((tier) => (
          <Total key={tier} amounts={by_tier.filter((amounts) => amounts.tier === tier)}>
            <TierTag tier={tier} />
          </Total>
        ))}
    </dl>
  );
}

type Converted = NonNullable<AttributionSummary['converted']>;
type OriginalsProps = { summary: AttributionSummary; converted: Converted; withTiers: boolean };

function Originals({ summary, converted: { currency, rates, unconverted }, withTiers }: OriginalsProps) {
  const left = unconverted.reduce((sum, { deals }) => sum + deals, 0);
  return (
    <>
      {left > 0 && (
        <p className="small">
          {plural(left, 'deal')} could not be converted to {currency} and {left === 1 ? 'is' : 'are'} not
          included: there is no currency, or no exchange rate from the closing date or the 7 days before.
        </p>
      )}
      <details>
        <summary>Original currencies and exchange rates</summary>
        <div className="spaced">
          <Figures totals={summary} withTiers={withTiers} />
          {rates.length > 0 && (
            <ul className="rates soft small">
              {rates.slice(0, 50).map((rate) => (
                <li key={`${rate.currency} ${rate.closed_date}`}>
                  Closed on <Day day={rate.closed_date} />: 1 {rate.currency} = {rate.rate} {currency} (rate
                  of <Day day={rate.rate_date} />)
                </li>
              ))}
            </ul>
          )}
        </div>
      </details>
    </>
  );
}

const shownFirst = 3;

function Total({ amounts, children }: { amounts: Amounts[]; children: ReactNode }) {
  const deals = amounts.reduce((sum, amount) => sum + amount.deals, 0);
  // Sorted by deals, because amounts in different currencies cannot be compared.
  const values = amounts
    .toSorted((a, b) => b.deals - a.deals)
    .map(({ currency, net_value }) => (
      <div key={currency} className="value">
        {formatMoney(net_value, currency)}
      </div>
    ));
  const rest = values.slice(shownFirst);
  return (
    <div className="total">
      <dt>{children}</dt>
      <dd className="soft small">{plural(deals, 'deal')}</dd>
      <dd>
        {values.slice(0, shownFirst)}
        {rest.length > 0 && (
          <details>
            <summary>{plural(rest.length, 'more currency', 'more currencies')}</summary>
            {rest}
          </details>
        )}
      </dd>
    </div>
  );
}
