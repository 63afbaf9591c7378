import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { tiers } from '../../src/vocabulary.ts';
import { inOneCurrency, monthsOf } from '../credit/months.ts';
import { NoCurrency } from '../credit/no-currency.tsx';
import { lastTwelveMonths } from '../credit/period.ts';
import { attributionList, attributionSummary } from '../credit/queries.ts';
import { RecordTable } from '../credit/record-table.tsx';
import { useSession } from '../session/session.tsx';
import { MonthsChart } from '../ui/charts/months.tsx';
import { Download } from '../ui/download.tsx';
import { formatWholeMoney, plural } from '../ui/format/numbers.ts';
import { Loaded } from '../ui/listing.tsx';
import { Section } from '../ui/section.tsx';
import { TierTag } from '../ui/tags.tsx';

export function usePartnerCredit(partner_id: string) {
  const { client } = useSession();
  const filters = { partner_id };
  return {
    filters,
    summary: useQuery(attributionSummary(client, filters)),
    records: useInfiniteQuery(attributionList(client, { ...filters, limit: 10 })),
  };
}

/** What the partner is credited with: by tier, by month, and deal by deal. */
export function PartnerCredit({ partnerId }: { partnerId: string }) {
  const { client } = useSession();
  const { filters, summary, records } = usePartnerCredit(partnerId);
  const { from, to } = lastTwelveMonths(new Date());
  return (
    <Section
      id="credit"
      title="Credit"
      action={<Download name="credit" csv={() => client.attribution.list(filters).csv()} />}
      className="partner-credit below"
    >
      <Loaded query={summary} rows={3}>
        {(data) => {
          const shown = inOneCurrency(data);
          if (data.totals.length === 0)
            return (
              <p className="soft">
                This partner has not been credited yet. It gets credit when a deal that it helped with is won.
              </p>
            );
          if (!shown) return <NoCurrency none={false} />;
          return (
            <>
              <dl className="credit-tiers">
                {tiers.map((tier) => {
                  const amounts = shown.totals.by_tier.find((row) => row.tier === tier);
                  return (
                    <div key={tier}>
                      <dt>
                        <TierTag tier={tier} />
                      </dt>
                      <dd className="value strong">
                        {formatWholeMoney(amounts?.credited_value ?? 0, shown.currency)}
                      </dd>
                      <dd className="soft small">{plural(amounts?.deals ?? 0, 'deal')}</dd>
                    </div>
                  );
                })}
              </dl>
              <MonthsChart
                months={monthsOf(shown.totals, from, to)}
                currency={shown.currency}
                label="Credited value by month and tier, last 12 months"
              />
            </>
          );
        }}
      </Loaded>
      <RecordTable query={records} rows={4} empty={null} more="records" />
    </Section>
  );
}
