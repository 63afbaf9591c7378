import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { MatchSuggestion } from '../../src/client/types.ts';
import { type MatchDecision, matchDecisionWords } from '../../src/vocabulary.ts';
import {
  matchQuality,
  pairOf,
  type ReviewSearch,
  showDecision,
  suggestionQueue,
} from '../matches/queries.ts';
import { PartnerSelect } from '../partners/partner-select.tsx';
import { NeedsWrite, useMay, useSession } from '../session/session.tsx';
import { LoadMore } from '../ui/feedback.tsx';
import { plural } from '../ui/format/numbers.ts';
import { ImportCommand } from '../ui/import-command.tsx';
import { Listing } from '../ui/listing.tsx';
import { Refused } from '../ui/outcome.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { Comparison } from './comparison.tsx';

type Step = { suggestion: MatchSuggestion; verdict: MatchDecision | 'skip'; decisionId: string | null };

export function ReviewPage() {
  const { client } = useSession();
  const filters = useSearch({ from: '/review' });
  const navigate = useNavigate();
  const quality = useQuery(matchQuality(client)).data;
  return (
    <div className="review">
      <title>Review · Partner Signals</title>
      <div className="page-head">
        <h1>Review</h1>
        <PartnerSelect
          partnerId={filters.partner_id}
          onChange={(partner_id) => void navigate({ to: '/review', search: { partner_id } })}
        />
      </div>
      <p className="soft">
        Decide whether these companies are the same. A suggestion fires no signal until you confirm it.
        {quality && quality.suggestions.waiting > 0 && (
          <> The service is still looking at {plural(quality.suggestions.waiting, 'record')}.</>
        )}
      </p>
      <Queue
        key={JSON.stringify(filters)}
        filters={filters}
        open={filters.partner_id || filters.account_id ? undefined : quality?.suggestions.open}
      />
    </div>
  );
}

function Queue({ filters, open }: { filters: ReviewSearch; open: number | undefined }) {
  const { client } = useSession();
  const mayWrite = useMay('write');
  const queries = useQueryClient();
  const query = useInfiniteQuery(suggestionQueue(client, filters));
  const [steps, setSteps] = useState<Step[]>([]);
  const [chosen, setChosen] = useState<MatchSuggestion>();

  const loaded = query.data?.pages.flatMap((page) => page.data) ?? [];
  const left = loaded.filter((suggestion) => !steps.some((step) => settles(step, suggestion)));
  const current = chosen ?? left[0];
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  // After a failure, wait until the user tries again instead of retrying forever.
  const isWaiting = isFetchingNextPage || isFetchNextPageError;
  useEffect(() => {
    if (left.length < 5 && hasNextPage && !isWaiting) void fetchNextPage();
  }, [left.length, hasNextPage, isWaiting, fetchNextPage]);

  const add = (step: Step) => {
    setSteps((before) => [...before, step]);
    setChosen(undefined);
  };
  const decide = useMutation({
    mutationFn: async ({ suggestion, verdict }: { suggestion: MatchSuggestion; verdict: MatchDecision }) => {
      const { data } = await client.matches.decide({ ...pairOf(suggestion), decision: verdict });
      return { suggestion, verdict, decisionId: data.id };
    },
    onSuccess: (step) => {
      add(step);
      showDecision(queries, step.suggestion);
    },
  });
  const revert = useMutation({
    mutationFn: async ({ decisionId }: Step) => {
      if (decisionId) await client.matches.revert(decisionId);
    },
    onSuccess: (_, step) => {
      setSteps((before) => before.filter((other) => other !== step));
      setChosen(step.suggestion);
      if (step.decisionId) showDecision(queries, step.suggestion);
    },
  });

  const last = steps.at(-1);
  const busy = decide.isPending || revert.isPending;
  const say = (verdict: Step['verdict']) => {
    if (!current || !mayWrite || busy) return;
    if (verdict !== 'skip') return decide.mutate({ suggestion: current, verdict });
    // Without waiting, because keys pressed during a mutation are ignored.
    decide.reset();
    add({ suggestion: current, verdict, decisionId: null });
  };
  const undo = () => {
    if (last && !busy) revert.mutate(last);
  };
  const keys: Record<string, () => void> = {
    s: () => say('same'),
    d: () => say('different'),
    k: () => say('skip'),
    u: undo,
  };
  useKeys((key) => {
    keys[key]?.();
    return key in keys;
  });

  const skipped = steps.filter(({ verdict }) => verdict === 'skip');
  // The count of the service is only needed while there are pairs that are not loaded yet.
  const notLoaded = hasNextPage ? Math.max(0, (open ?? 0) - loaded.length) : 0;
  const atLeast = hasNextPage && open === undefined ? 'At least ' : '';
  return (
    <>
      <div className="line review-status">
        <p role="status">
          {last && <>{outcome(last)} </>}
          <span className="soft">
            {current && `${atLeast}${plural(Math.max(1, left.length + notLoaded), 'pair')} left.`}
          </span>
        </p>
        {last && (
          <Button variant="default" disabled={busy} onClick={undo}>
            Undo <kbd>u</kbd>
          </Button>
        )}
      </div>
      <Refused error={decide.error ?? revert.error} />
      <Listing query={query} rows={8} shape="table" empty={null}>
        {() => null}
      </Listing>
      {isFetchNextPageError && <LoadMore pages={query} what="pairs" />}
      {query.isSuccess && !current && !hasNextPage && (
        <Done
          filters={filters}
          started={steps.length > 0}
          skipped={skipped.length}
          onSkipped={() => setSteps((before) => before.filter((step) => !skipped.includes(step)))}
        />
      )}
      {current && (
        <>
          <Comparison key={current.id} suggestion={current} onChoose={setChosen} />
          <div className="buttons verdicts below">
            <Button disabled={!mayWrite || busy} onClick={() => say('same')}>
              Same company <kbd>s</kbd>
            </Button>
            <Button variant="default" disabled={!mayWrite || busy} onClick={() => say('different')}>
              Different companies <kbd>d</kbd>
            </Button>
            <Button
              variant="subtle"
              className="quiet"
              disabled={busy || !mayWrite}
              onClick={() => say('skip')}
            >
              Skip <kbd>k</kbd>
            </Button>
          </div>
          <NeedsWrite to="decide on matches" />
        </>
      )}
    </>
  );
}

/** Whether a decision also settles another suggestion: a company has only one counterpart on a partner's list. */
function settles({ suggestion: decided, verdict }: Step, other: MatchSuggestion): boolean {
  if (other.id === decided.id) return true;
  return (
    verdict === 'same' && other.account.id === decided.account.id && other.partner.id === decided.partner.id
  );
}

function outcome({ suggestion: { account, partner_account }, verdict }: Step): string {
  const pair = `${account.name} and ${partner_account.name}`;
  return verdict === 'skip' ? `Skipped ${pair}.` : `${pair} are ${matchDecisionWords[verdict]}.`;
}

type DoneProps = { filters: ReviewSearch; started: boolean; skipped: number; onSkipped(): void };

function Done({ filters, started, skipped, onSkipped }: DoneProps) {
  const queries = useQueryClient();
  if (skipped > 0)
    return (
      <div className="card message" role="status">
        <p className="strong">You skipped {plural(skipped, 'pair')}. Nothing else is left to review.</p>
        <Button onClick={onSkipped}>Review skipped pairs</Button>
      </div>
    );
  return (
    <div className="card message" role="status">
      <p className="strong">{started ? 'Nothing left to review.' : 'There are no pairs to review.'}</p>
      {(filters.partner_id || filters.account_id) && (
        <Link to="/review" search={{}}>
          Show all pairs
        </Link>
      )}
      <p className="soft">
        A pair appears here when a company on a partner’s list may be one of your accounts. Import accounts
        and partner lists to find more. <ImportCommand kind="partner_accounts" />
      </p>
      <Button
        variant="default"
        onClick={() => void queries.resetQueries({ queryKey: ['suggestions', filters] })}
      >
        Check again
      </Button>
    </div>
  );
}
