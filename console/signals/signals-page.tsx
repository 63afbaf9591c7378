import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { SignalQuery, SignalSummary } from '../../src/client/types.ts';
import { signalStates, signalStateWords, signalTypes, signalTypeWords } from '../../src/vocabulary.ts';
import { PartnerSelect } from '../partners/partner-select.tsx';
import { useSession } from '../session/session.tsx';
import { Choice, Choices } from '../ui/choices.tsx';
import { LoadMore, Refresh } from '../ui/feedback.tsx';
import { Listing, NoRows } from '../ui/listing.tsx';
import { formatNumber } from '../ui/numbers.ts';
import { signalFeed, signalSummary } from './queries.ts';
import { SignalRow } from './signal-row.tsx';
import { useFeedKeys } from './use-feed-keys.ts';

export function SignalsPage() {
  const { client } = useSession();
  const filters = useSearch({ from: '/signals' });
  const { signalId } = useParams({ strict: false });
  const feed = useInfiniteQuery(signalFeed(client, filters));
  const list = useFeedKeys(signalId);

  return (
    <div className="signals" data-open={signalId !== undefined}>
      {signalId === undefined && <title>Signals · Partner Signals</title>}
      <section className="feed" aria-labelledby="feed-title">
        <div className="page-head">
          <h1 id="feed-title">Signals</h1>
          <p className="soft keys" aria-hidden="true">
            <kbd>j</kbd> <kbd>k</kbd> move <kbd>Enter</kbd> open <kbd>Esc</kbd> close
          </p>
          <Refresh list={['signals']} also={{ queryKey: ['signal-summary'] }} />
        </div>
        <Filters filters={filters} />
        <div className="card">
          <Listing
            query={feed}
            rows={12}
            empty={
              <NoRows
                filtered={{ by: filters, what: 'signals', to: '/signals' }}
                none="There are no signals yet."
              >
                Signals appear once you send accounts, deals and partner data to <code>/ingest/v1</code>.
              </NoRows>
            }
          >
            {(signals) => (
              <ul className="rows" ref={list} aria-label="Signals, newest first">
                {signals.map((signal) => (
                  <SignalRow key={signal.id} signal={signal} selected={signal.id === signalId} />
                ))}
              </ul>
            )}
          </Listing>
        </div>
        <LoadMore pages={feed} what="signals" />
      </section>
      <Outlet />
    </div>
  );
}

function Filters({ filters }: { filters: SignalQuery }) {
  const { client } = useSession();
  const navigate = useNavigate();
  const summary = useQuery(signalSummary(client)).data;
  // The counts cover the whole organization, so they would be wrong next to a narrower list.
  const counted = filters.partner_id || filters.account_id ? undefined : summary;
  return (
    <search className="filters" aria-label="Filters">
      <Choices label="State" values={signalStates} words={signalStateWords}>
        {(state, text) => (
          <Choice
            key={state}
            to="/signals"
            search={{ ...filters, state }}
            chosen={filters.state === state}
            count={total(counted, filters.type, state)}
          >
            {text}
          </Choice>
        )}
      </Choices>
      <Choices label="Type" values={signalTypes} words={signalTypeWords}>
        {(type, text) => (
          <Choice
            key={type}
            to="/signals"
            search={{ ...filters, type }}
            chosen={filters.type === type}
            count={total(counted, type, filters.state)}
          >
            {text}
          </Choice>
        )}
      </Choices>
      <div className="choices">
        <PartnerSelect
          partnerId={filters.partner_id}
          onChange={(partner_id) => void navigate({ to: '/signals', search: { ...filters, partner_id } })}
        />
        {filters.account_id && (
          <Link className="choice" to="/signals" search={{ ...filters, account_id: undefined }}>
            One account <span aria-hidden="true">×</span>
            <span className="unseen">, show all accounts</span>
          </Link>
        )}
      </div>
    </search>
  );
}

function total(
  summary: SignalSummary | undefined,
  type: SignalQuery['type'],
  state?: SignalQuery['state'],
): string | undefined {
  if (!summary) return undefined;
  const types = type ? [type] : signalTypes;
  const states = state ? [state] : signalStates;
  const counts = types.flatMap((type) => states.map((state) => summary.by_type[type][state]));
  return formatNumber(counts.reduce((sum, count) => sum + count, 0));
}
