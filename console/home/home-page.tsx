import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { inOneCurrency, monthsOf } from '../credit/months.ts';
import { NoCurrency } from '../credit/no-currency.tsx';
import { lastTwelveMonths, toQuery } from '../credit/period.ts';
import { attributionSummary } from '../credit/queries.ts';
import { scorecard } from '../partners/queries.ts';
import { hasDeals } from '../partners/scores.ts';
import { useSession } from '../session/session.tsx';
import { signalSummary } from '../signals/queries.ts';
import { totalOf } from '../signals/search.ts';
import { MonthsChart } from '../ui/charts/months.tsx';
import { Loading } from '../ui/feedback.tsx';
import { formatNumber } from '../ui/format/numbers.ts';
import { Loaded, Together } from '../ui/listing.tsx';
import { Section } from '../ui/section.tsx';
import { Figures } from './figures.tsx';
import { ImportData } from './import-data.tsx';
import { LargestOpportunity } from './largest-opportunity.tsx';
import { Leaderboard } from './leaderboard.tsx';
import { Performance } from './performance.tsx';
import { signalPerformance, topSignals, waitingSuggestions } from './queries.ts';
import { SinceLastVisit } from './since-last-visit.tsx';
import { Suggestions } from './suggestions.tsx';
import { TopSignals } from './top-signals.tsx';

export function HomePage() {
  const { client } = useSession();
  const year = lastTwelveMonths(new Date());
  const period = { from: year.from, to: year.to };
  const signals = useQuery(signalSummary(client));
  const scores = useQuery(scorecard(client, period));
  const credit = useQuery(attributionSummary(client, toQuery(period)));
  const loading = [
    signals,
    scores,
    credit,
    useQuery(topSignals(client)),
    useQuery(signalPerformance(client)),
    useQuery(waitingSuggestions(client)),
  ];
  const isEmpty = signals.data?.total === 0 && scores.data?.partners.length === 0 && !hasDeals(scores.data);
  return (
    <div className="home">
      <title>Home · Partner Signals</title>
      <div className="page-head home-head">
        <h1>Home</h1>
        {signals.data && credit.data && !isEmpty && (
          <SinceLastVisit signals={signals.data} credit={credit.data} />
        )}
      </div>
      {isEmpty ? (
        <ImportData />
      ) : (
        <Together queries={loading} loading={<LoadingHome />}>
          <Figures signals={signals} scores={scores} credit={credit} />
          <div className="stack home-columns">
            <div className="stack">
              <Section
                id="top"
                title="Act on these first"
                action={
                  <Link to="/signals" search={{ state: 'new' }}>
                    All {signals.data ? formatNumber(totalOf(signals.data, ['new'])) : ''} new signals
                  </Link>
                }
              >
                <TopSignals />
              </Section>
              <Section
                id="months"
                title="Credit by tier and month"
                action={<Link to="/attribution">All records</Link>}
              >
                <Loaded query={credit} loading={<Loading shape="chart" rows={1} />}>
                  {(summary) => {
                    const shown = inOneCurrency(summary);
                    if (!shown) return <NoCurrency none={summary.totals.length === 0} />;
                    return (
                      <MonthsChart
                        months={monthsOf(shown.totals, period.from, period.to)}
                        currency={shown.currency}
                        label="Credited value by month and tier"
                      />
                    );
                  }}
                </Loaded>
              </Section>
              <Performance />
            </div>
            <div className="stack">
              <Section id="leaders" title="Partners by credit" action={<Link to="/partners">Scorecard</Link>}>
                <Loaded query={scores} loading={<Loading shape="table" rows={6} />}>
                  {(data) => <Leaderboard scorecard={data} />}
                </Loaded>
              </Section>
              <Section id="largest" title="Largest credited deal">
                <Loaded query={scores}>{(data) => <LargestOpportunity scorecard={data} />}</Loaded>
              </Section>
              <Suggestions />
            </div>
          </div>
        </Together>
      )}
    </div>
  );
}

function LoadingHome() {
  return (
    <>
      <div className="home-figures">
        {['signals', 'pipeline', 'credit'].map((figure) => (
          <div key={figure} className="card figure">
            <Loading shape="figure" rows={1} />
          </div>
        ))}
      </div>
      <div className="stack home-columns">
        <div className="stack">
          <div className="card">
            <Loading shape="table" rows={5} />
          </div>
          <div className="card">
            <Loading shape="chart" rows={1} />
          </div>
        </div>
        <div className="stack">
          <div className="card">
            <Loading shape="table" rows={6} />
          </div>
        </div>
      </div>
    </>
  );
}
