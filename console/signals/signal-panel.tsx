import { CloseButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { SignalDetail } from '../../src/client/types.ts';
import { signalDetail } from '../session/queries.ts';
import { useSession } from '../session/session.tsx';
import { ActivityTimeline } from '../ui/activity-timeline.tsx';
import { ArrivalHeading, Loading, Problem, StateMark, TypeTag } from '../ui/parts.tsx';
import { Ago, Exact } from '../ui/time.tsx';
import { formatNumber, inWords, partnerTypeWords, typeWords } from '../ui/words.ts';
import { SignalChange } from './signal-change.tsx';
import { SignalHistory } from './signal-history.tsx';

export function SignalPanel() {
  const { client } = useSession();
  const { signalId } = useParams({ from: '/signals/$signalId' });
  const search = useSearch({ from: '/signals' });
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useQuery(signalDetail(client, signalId));

  return (
    <section className="panel card" aria-label="Signal">
      <CloseButton
        className="panel-close"
        aria-label="Close the signal"
        onClick={() => void navigate({ to: '/signals', search })}
      />
      <title>
        {data
          ? `${data.data.account.name} with ${data.data.partner.name} · Partner Signals`
          : 'Signal · Partner Signals'}
      </title>
      {isPending && <Loading rows={10} />}
      {error && !data && <Problem error={error} retry={() => void refetch()} />}
      {data && <Detail key={signalId} signal={data.data} etag={data.etag} />}
    </section>
  );
}

function Detail({ signal, etag }: { signal: SignalDetail; etag: string }) {
  const { account, partner, opportunity } = signal;
  const evidence = new Set(signal.reasons.flatMap((reason) => reason.activity_ids));
  return (
    <>
      <div className="marks">
        <TypeTag type={signal.type} />
        <StateMark state={signal.state} />
      </div>
      <ArrivalHeading level={2}>
        <bdi>{account.name}</bdi>
      </ArrivalHeading>
      <p className="soft">
        with{' '}
        <Link to="/partners/$partnerId" params={{ partnerId: partner.id }}>
          <bdi>{partner.name}</bdi>
        </Link>
        , {partnerTypeWords[partner.type].toLowerCase()}
      </p>
      <p className="advice">{signal.recommended_action}</p>
      <SignalChange signal={signal} etag={etag} />

      <h3>Deal</h3>
      {opportunity.stage === 'prospective' ? (
        <p>There is no open deal on this account yet.</p>
      ) : (
        <p>
          <bdi>{opportunity.name}</bdi>
          <br />
          <span className="soft">
            <span className="value">{formatNumber(opportunity.value)}</span>, in stage{' '}
            <bdi>{inWords(opportunity.stage).toLowerCase()}</bdi>
          </span>
        </p>
      )}
      <dl className="facts">
        <dt>Fired</dt>
        <dd>
          <Exact at={signal.fired_at} />
        </dd>
        {signal.state === 'new' && (
          <>
            <dt>Expires</dt>
            <dd>
              <Exact at={signal.expires_at} />
            </dd>
          </>
        )}
        <dt>Account in the CRM</dt>
        <dd>
          <bdi>{account.crm_id}</bdi> ·{' '}
          <Link to="/signals" search={{ account_id: account.id }}>
            all its signals
          </Link>
        </dd>
      </dl>

      <h3>Why it fired</h3>
      <ul className="plain">
        {signal.reasons.map((reason) => (
          <li key={`${reason.rule} ${reason.detail}`}>
            {reason.detail}{' '}
            <span className="soft small">
              {typeWords[reason.rule]} rule, settings version {reason.rule_version}
            </span>
          </li>
        ))}
      </ul>

      <h3>What the partner did here</h3>
      {signal.activity_log.length === 0 ? (
        <p className="soft">No activity of this partner on this account is recorded.</p>
      ) : (
        <ActivityTimeline
          activities={signal.activity_log.map((activity) => ({
            ...activity,
            note: evidence.has(activity.id) ? 'counted' : undefined,
          }))}
        />
      )}

      <h3>History</h3>
      <SignalHistory history={signal.history} />
      <p className="soft small">
        Last change <Ago at={signal.updated_at} /> · <code>{signal.id}</code>
      </p>
    </>
  );
}
