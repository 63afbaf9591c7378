import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AttributionSummary, Scorecard, SignalSummary } from '../../src/client/types.ts';
import { inOneCurrency } from '../credit/months.ts';
import { NoCurrency } from '../credit/no-currency.tsx';
import { quarters } from '../credit/period.ts';
import { openStates, totalOf } from '../signals/search.ts';
import { Loading } from '../ui/feedback.tsx';
import { formatCompactMoney, formatNumber, plural } from '../ui/format/numbers.ts';
import { Loaded } from '../ui/listing.tsx';

type Props = {
  signals: UseQueryResult<SignalSummary>;
  scores: UseQueryResult<Scorecard>;
  credit: UseQueryResult<AttributionSummary>;
};

/** The numbers of the week. */
export function Figures({ signals, scores, credit }: Props) {
  return (
    <div className="home-figures">
      <div className="card figure">
        <h2>Open signals</h2>
        <Loaded query={signals} loading={<Loading shape="figure" rows={1} />}>
          {(summary) => (
            <>
              <p className="big">{formatNumber(totalOf(summary, openStates))}</p>
              <p className="soft small">
                <Link to="/signals" search={{ state: 'new' }}>
                  {formatNumber(totalOf(summary, ['new']))} new
                </Link>
                ,{' '}
                <Link to="/signals" search={{ state: 'in_progress' }}>
                  {formatNumber(totalOf(summary, ['in_progress']))} in progress
                </Link>
              </p>
            </>
          )}
        </Loaded>
      </div>
      <div className="card figure">
        <h2>Open pipeline touched by partners</h2>
        <Loaded query={scores} loading={<Loading shape="figure" rows={1} />}>
          {(data) => <Pipeline scorecard={data} />}
        </Loaded>
      </div>
      <div className="card figure">
        <h2>Credit, last 12 months</h2>
        <Loaded query={credit} loading={<Loading shape="figure" rows={1} />}>
          {(summary) => <Credit summary={summary} />}
        </Loaded>
      </div>
    </div>
  );
}

function Pipeline({ scorecard: { currency, pipeline, window_days } }: { scorecard: Scorecard }) {
  const { open, touched } = pipeline;
  const [part, whole] = currency ? [touched.value ?? 0, open.value ?? 0] : [touched.deals, open.deals];
  return (
    <>
      <p className="big value">
        {currency ? formatCompactMoney(touched.value ?? 0, currency) : plural(touched.deals, 'deal')}{' '}
        <span className="soft small">
          of {currency ? formatCompactMoney(open.value ?? 0, currency) : formatNumber(open.deals)}
        </span>
      </p>
      <meter
        className="meter"
        min={0}
        max={whole || 1}
        value={part}
        aria-label="Share of the open pipeline touched by partners"
      />
      <p className="soft small">
        Partners worked on {formatNumber(touched.deals)} of {plural(open.deals, 'open deal')} in the last{' '}
        {window_days} days.
        {currency !== null &&
          open.unconverted_deals > 0 &&
          ` ${plural(open.unconverted_deals, 'deal')} without an exchange rate ${open.unconverted_deals === 1 ? 'is' : 'are'} not included in the value.`}
      </p>
    </>
  );
}

function Credit({ summary }: { summary: AttributionSummary }) {
  const shown = inOneCurrency(summary);
  if (!shown) return <NoCurrency none={summary.totals.length === 0} />;
  const { currency, totals } = shown;
  const deals = totals.totals.reduce((sum, amounts) => sum + amounts.deals, 0);
  const credited = (from: string, to: string) =>
    totals.by_tier_and_month
      .filter(({ month }) => month >= from.slice(0, 7) && month <= to.slice(0, 7))
      .reduce((sum, { credited_value }) => sum + credited_value, 0);
  return (
    <>
      <p className="big value">{formatCompactMoney(credited('', '9999'), currency)}</p>
      <p className="soft small">for {plural(deals, 'won deal')}</p>
      <p className="soft small">
        {quarters(new Date(), 2)
          .map(({ name, from, to }) => `${name}: ${formatCompactMoney(credited(from, to), currency)}`)
          .join(' · ')}
      </p>
    </>
  );
}
