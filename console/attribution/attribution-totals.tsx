import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AttributionSummary, AttributionSummaryQuery } from '../../src/client/types.ts';
import { tiers } from '../../src/vocabulary.ts';
import { useSession } from '../session/session.tsx';
import { Loaded } from '../ui/listing.tsx';
import { formatMoney, plural } from '../ui/numbers.ts';
import { TierTag } from '../ui/tags.tsx';
import { attributionSummary } from './queries.ts';

type Amounts = AttributionSummary['totals'][number];

/** The totals of the filtered records, separately for each currency. */
export function AttributionTotals({ filters }: { filters: AttributionSummaryQuery }) {
  const { client } = useSession();
  const query = useQuery(attributionSummary(client, filters));
  if (query.data?.totals.length === 0) return null;
  return (
    <section className="card totals" aria-label="Totals">
      <Loaded query={query} rows={3}>
        {({ totals, by_tier }) => (
          <>
            <dl>
              <Total amounts={totals}>Total value</Total>
              {/* With a tier filter, the total is the tier's. */}
              {!filters.tier &&
                tiers.map((tier) => (
                  <Total key={tier} amounts={by_tier.filter((amounts) => amounts.tier === tier)}>
                    <TierTag tier={tier} />
                  </Total>
                ))}
            </dl>
            <p className="soft small">
              Active records only. Each deal counts once in the total and once per credited tier, so tiers can
              add up to more than the total.
            </p>
          </>
        )}
      </Loaded>
    </section>
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
