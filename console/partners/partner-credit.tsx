import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AttributionRecord } from '../../src/client/types.ts';
import { tiers } from '../../src/vocabulary.ts';
import { inOneCurrency, monthsOf } from '../credit/months.ts';
import { NoCurrency } from '../credit/no-currency.tsx';
import { lastTwelveMonths } from '../credit/period.ts';
import { attributionList, attributionSummary } from '../credit/queries.ts';
import { useSession } from '../session/session.tsx';
import { MonthsChart } from '../ui/chart-months.tsx';
import { Download } from '../ui/download.tsx';
import { AccountLink, DealLink } from '../ui/entity-links.tsx';
import { ListTable, Loaded } from '../ui/listing.tsx';
import { formatMoney, formatWholeMoney, plural } from '../ui/numbers.ts';
import { Section } from '../ui/section.tsx';
import { StatusMark, TierTag } from '../ui/tags.tsx';
import { Day } from '../ui/time.tsx';

/** What the partner is credited with: by tier, by month, and deal by deal. */
export function PartnerCredit({ partnerId }: { partnerId: string }) {
  const { client } = useSession();
  const filters = { partner_id: partnerId };
  const summary = useQuery(attributionSummary(client, filters));
  const records = useInfiniteQuery(attributionList(client, { ...filters, limit: 10 }));
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
            return <p className="soft">This partner has not been credited for a deal yet.</p>;
          if (!shown) return <NoCurrency />;
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
      <ListTable
        query={records}
        rows={4}
        empty={null}
        className="table stacking records"
        columns={['Deal', 'Account', 'Tier', 'Dispute']}
        numbers={['Credited', 'Closed']}
        row={(record) => <Row key={record.id} record={record} />}
        more="records"
      />
    </Section>
  );
}

function Row({ record }: { record: AttributionRecord }) {
  const { id, opportunity, account, tier, status, dispute_status, credited_value, closed_date } = record;
  return (
    <tr>
      <td>
        <Link to="/attribution/$recordId" params={{ recordId: id }} className="strong">
          <bdi>{opportunity.name}</bdi>
        </Link>
        <div className="soft small">
          <DealLink deal={{ ...opportunity, name: 'view deal' }} />
        </div>
      </td>
      <td>
        <AccountLink account={account} />
      </td>
      <td>
        <TierTag tier={tier} /> {status === 'reversed' && <StatusMark status={status} />}
      </td>
      <td>{dispute_status !== 'none' && <StatusMark status={dispute_status} />}</td>
      <td className="number">{formatMoney(credited_value, opportunity.currency)}</td>
      <td className="number record-day">
        <Day day={closed_date} />
      </td>
    </tr>
  );
}
