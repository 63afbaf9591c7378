import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Scorecard, SignalSummary } from '../../src/client/types.ts';
import { Loaded } from '../ui/listing.tsx';
import { formatCompactMoney, formatNumber, formatWholeMoney, plural } from '../ui/numbers.ts';
import { NoCurrency } from './no-currency.tsx';

type Props = { signals: UseQueryResult<SignalSummary>; scores: UseQueryResult<Scorecard> };

/** The numbers of the week. */
export function Figures({ signals, scores }: Props) {
  return (
    <div className="home-figures">
      <div className="card figure">
        <h2>Open signals</h2>
        <Loaded query={signals} rows={2}>
          {({ by_type }) => {
            const count = (state: 'new' | 'in_progress') =>
              Object.values(by_type).reduce((sum, counts) => sum + counts[state], 0);
            return (
              <>
                <p className="big">{formatNumber(count('new') + count('in_progress'))}</p>
                <p className="soft small">
                  <Link to="/signals" search={{ state: 'new' }}>
                    {formatNumber(count('new'))} new
                  </Link>
                  ,{' '}
                  <Link to="/signals" search={{ state: 'in_progress' }}>
                    {formatNumber(count('in_progress'))} in progress
                  </Link>
                </p>
              </>
            );
          }}
        </Loaded>
      </div>
      <div className="card figure">
        <h2>Open pipeline touched by partners</h2>
        <Loaded query={scores} rows={2}>
          {(data) => <Pipeline scorecard={data} />}
        </Loaded>
      </div>
      <div className="card figure">
        <h2>Credit, last 12 months</h2>
        <Loaded query={scores} rows={2}>
          {({ currency, partners }) => {
            const credited = partners.filter(({ credited_value }) => (credited_value ?? 0) > 0);
            if (currency === null) return <NoCurrency />;
            const total = credited.reduce((sum, { credited_value }) => sum + (credited_value ?? 0), 0);
            return (
              <>
                <p className="big value" title={formatWholeMoney(total, currency)}>
                  {formatCompactMoney(total, currency)}
                </p>
                <p className="soft small">credited to {plural(credited.length, 'partner')}</p>
              </>
            );
          }}
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
