import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams, useSearch } from '@tanstack/react-router';
import { NeedsWrite, useMay, useSession } from '../session/session.tsx';
import { Choices } from '../ui/choices.tsx';
import { Download } from '../ui/download.tsx';
import { LoadMore, Refresh } from '../ui/feedback.tsx';
import { ImportCommand } from '../ui/import-command.tsx';
import { Listing, NoRows } from '../ui/listing.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { DensityChoice, useDensity } from './density.tsx';
import { signalFeed, signalSummary } from './queries.ts';
import { isEnded, type SignalSearch, toQuery } from './search.ts';
import { SignalActionsProvider, useSignalActions } from './signal-actions.tsx';
import { SignalFilters } from './signal-filters.tsx';
import { SignalRow } from './signal-row.tsx';
import { useFeedKeys } from './use-feed-keys.ts';
import { Views } from './views.tsx';

export function SignalsPage() {
  const { signalId } = useParams({ strict: false });
  return (
    <SignalActionsProvider>
      <div className="signals" data-open={signalId !== undefined}>
        <Feed signalId={signalId} />
        <Outlet />
      </div>
    </SignalActionsProvider>
  );
}

function Feed({ signalId }: { signalId: string | undefined }) {
  const { client } = useSession();
  const mayWrite = useMay('write');
  const filters = useSearch({ from: '/signals' });
  const query = toQuery(filters);
  // While you type, the list stays until the next one is there.
  const feed = useInfiniteQuery({ ...signalFeed(client, query), placeholderData: keepPreviousData });
  const signals = feed.data?.pages.flatMap((page) => page.data) ?? [];
  const [density, setDensity] = useDensity();
  const list = useFeedKeys(signalId, signals, () =>
    setDensity(density === 'compact' ? 'comfortable' : 'compact'),
  );
  const { selected, select } = useSignalActions();
  const neverFired = useQuery(signalSummary(client)).data?.total === 0;

  return (
    <section className="feed" aria-labelledby="feed-title">
      {signalId === undefined && <title>Signals · Partner Signals</title>}
      <div className="page-head">
        <h1 id="feed-title">Signals</h1>
        <Views filters={filters} />
        <Download name="signals" csv={() => client.signals.list(query).csv()} />
        <Refresh list={['signals']} also={{ queryKey: ['signal-summary'] }} />
      </div>
      <SignalFilters filters={filters} />
      <div className="card">
        <Listing
          query={feed}
          rows={12}
          shape="table"
          empty={
            <NoRows
              filtered={{ by: filters, what: 'signals', to: '/signals' }}
              none={neverFired ? 'There are no signals yet.' : 'There are no open signals.'}
            >
              {neverFired ? (
                <>
                  Import accounts, deals and partner lists to get signals. <ImportCommand kind="accounts" />
                </>
              ) : (
                <>
                  New ones appear as you and your partners load data.{' '}
                  <Link to="/signals" search={{ state: 'all' }}>
                    Show all signals
                  </Link>
                </>
              )}
            </NoRows>
          }
        >
          {(signals) => (
            <>
              <div className="line list-head">
                {mayWrite ? (
                  <label className="select-all">
                    <input
                      type="checkbox"
                      checked={signals.every(({ id }) => selected.has(id))}
                      onChange={(event) => select(signals, event.currentTarget.checked)}
                    />
                    <span>Select all</span>
                  </label>
                ) : (
                  <NeedsWrite to="change signals" />
                )}
                <div className="line list-options">
                  <Sorting filters={filters} />
                  <DensityChoice density={density} onChange={setDensity} />
                </div>
              </div>
              <ul
                className="rows"
                data-density={density}
                ref={list}
                aria-label={`Signals, ${orderOf(filters)}`}
              >
                {signals.map((signal) => (
                  <SignalRow
                    key={signal.id}
                    signal={signal}
                    open={signal.id === signalId}
                    selected={selected.has(signal.id)}
                    onSelect={mayWrite ? select : undefined}
                  />
                ))}
              </ul>
            </>
          )}
        </Listing>
      </div>
      <LoadMore pages={feed} what="signals" />
      <BulkBar />
    </section>
  );
}

function orderOf({ state, sort }: SignalSearch): string {
  return sort || state === 'all' || isEnded(state) ? 'newest first' : 'highest priority first';
}

/** Only open signals have a priority to sort by. */
function Sorting({ filters }: { filters: SignalSearch }) {
  if (filters.state === 'all' || isEnded(filters.state))
    return <span className="soft small">Newest first</span>;
  return (
    <Choices
      label="Sort"
      to="/signals"
      search={filters}
      name="sort"
      values={['fired_at']}
      words={{ fired_at: 'newest' }}
      all="Priority"
    />
  );
}
