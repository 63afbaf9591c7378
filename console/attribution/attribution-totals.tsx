import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AttributionSummary, AttributionSummaryQuery } from '../../src/client/types.ts';
import { attributionSummary } from '../session/queries.ts';
import { useSession } from '../session/session.tsx';
import { Loading, Problem, TierTag } from '../ui/parts.tsx';
import { formatNumber, keysOf, tierWords } from '../ui/words.ts';

type Amounts = AttributionSummary['totals'][number];

/** What the filters add up to. */
export function AttributionTotals({ filters }: { filters: AttributionSummaryQuery }) {
  const { client } = useSession();
  const { data, error, isPending, refetch } = useQuery(attributionSummary(client, filters));
  if (data?.totals.length === 0) return null;
  return (
    <section className="card totals" aria-label="Totals">
      {isPending && <Loading rows={3} />}
      {error && !data && <Problem error={error} retry={() => void refetch()} />}
      {data && (
        <>
          <dl>
            <Total amounts={data.totals}>Net value</Total>
            {/* With one tier chosen, that is the total. */}
            {!filters.tier &&
              keysOf(tierWords).map((tier) => (
                <Total key={tier} amounts={data.by_tier.filter((amounts) => amounts.tier === tier)}>
                  <TierTag tier={tier} />
                </Total>
              ))}
          </dl>
          <p className="soft small">
            Active records only. A deal counts once, however many partners are credited for it, and once more
            in each tier in which they are.
          </p>
        </>
      )}
    </section>
  );
}

const shownAtOnce = 3;

function Total({ amounts, children }: { amounts: Amounts[]; children: ReactNode }) {
  const deals = amounts.reduce((sum, amount) => sum + amount.deals, 0);
  // By the number of deals: values in different currencies cannot be compared.
  const values = amounts
    .toSorted((a, b) => b.deals - a.deals)
    .map(({ currency, net_value }) => (
      <div key={currency} className="value">
        {currency ?? 'No currency'} {formatNumber(net_value)}
      </div>
    ));
  const rest = values.slice(shownAtOnce);
  return (
    <div className="total">
      <dt>{children}</dt>
      <dd className="soft small">{deals === 1 ? '1 deal' : `${formatNumber(deals)} deals`}</dd>
      <dd>
        {values.slice(0, shownAtOnce)}
        {rest.length > 0 && (
          <details>
            <summary>{rest.length === 1 ? '1 more currency' : `${rest.length} more currencies`}</summary>
            {rest}
          </details>
        )}
      </dd>
    </div>
  );
}
