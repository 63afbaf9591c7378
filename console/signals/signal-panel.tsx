import { CloseButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { SignalDetail } from '../../src/client/types.ts';
import {
  dismissReasonWords,
  endReasonWords,
  partnerTypeWords,
  signalTypeWords,
} from '../../src/vocabulary.ts';
import { useSession } from '../session/session.tsx';
import { ActivityTimeline } from '../ui/activity-timeline.tsx';
import { ArrivalHeading } from '../ui/arrival-heading.tsx';
import { AccountLink, OpportunityLink, PartnerLink } from '../ui/entity-links.tsx';
import { formatMoney } from '../ui/format/numbers.ts';
import { Ago, Exact } from '../ui/format/time.tsx';
import { capitalize, signalStatus } from '../ui/format/words.ts';
import { Loaded } from '../ui/listing.tsx';
import { PersonName } from '../ui/person-name.tsx';
import { StatusMark, TypeTag } from '../ui/tags.tsx';
import { PriorityParts } from './priority-parts.tsx';
import { signalDetail } from './queries.ts';
import { SignalChange } from './signal-change.tsx';
import { SignalHistory } from './signal-history.tsx';

export function SignalPanel() {
  const { client } = useSession();
  const { signalId } = useParams({ from: '/signals/$signalId' });
  const search = useSearch({ from: '/signals' });
  const navigate = useNavigate();
  const query = useQuery(signalDetail(client, signalId));
  const signal = query.data?.data;

  return (
    // Each signal restores its own scroll position.
    <section className="panel card" aria-label="Signal" data-scroll-restoration-id={signalId}>
      <CloseButton
        className="panel-close"
        aria-label="Close signal"
        onClick={() => void navigate({ to: '/signals', search, resetScroll: false })}
      />
      <title>
        {`${signal ? `${signal.account.name} with ${signal.partner.name}` : 'Signal'} · Partner Signals`}
      </title>
      <Loaded query={query} rows={10}>
        {({ data, etag }) => <Detail key={signalId} signal={data} etag={etag} />}
      </Loaded>
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
        <StatusMark status={signalStatus(signal)} />
      </div>
      <ArrivalHeading level={2}>
        <AccountLink account={account} />
      </ArrivalHeading>
      <p className="soft">
        with <PartnerLink partner={partner} />, {partnerTypeWords[partner.type]}
      </p>
      <p className="advice">{signal.recommended_action}</p>
      <SignalChange signal={signal} etag={etag} />

      <h3>Deal</h3>
      {opportunity.stage === 'prospective' ? (
        <p>This account has no open deal yet.</p>
      ) : (
        <p>
          <OpportunityLink opportunity={opportunity} />
          <br />
          <span className="soft">
            <span className="value">{formatMoney(opportunity.value, opportunity.currency)}</span> · stage:{' '}
            <bdi>{opportunity.stage}</bdi>
          </span>
        </p>
      )}
      <dl className="facts">
        <dt className="soft">Fired</dt>
        <dd>
          <Exact at={signal.fired_at} />
        </dd>
        {signal.state === 'new' && (
          <>
            <dt className="soft">Expires</dt>
            <dd>
              <Exact at={signal.expires_at} />
            </dd>
          </>
        )}
        <dt className="soft">Account ID in the CRM</dt>
        <dd>
          <bdi>{account.crm_id}</bdi>
        </dd>
        <dt className="soft">Owner</dt>
        <dd>
          <PersonName person={signal.owner} none="Not set in the CRM" />
        </dd>
        <dt className="soft">Assignee</dt>
        <dd>
          <PersonName person={signal.assignee} none="Nobody" />
        </dd>
        {signal.end_reason && (
          <>
            <dt className="soft">Ended</dt>
            <dd>{capitalize(endReasonWords[signal.end_reason])}</dd>
          </>
        )}
        {signal.dismiss_reason && (
          <>
            <dt className="soft">Dismissed as</dt>
            <dd>{dismissReasonWords[signal.dismiss_reason]}</dd>
          </>
        )}
      </dl>

      <PriorityParts signal={signal} />

      <h3>Why it fired</h3>
      <ul className="plain">
        {signal.reasons.map((reason) => (
          <li key={`${reason.rule} ${reason.detail}`}>
            {reason.detail}{' '}
            <span className="soft small">
              {capitalize(signalTypeWords[reason.rule])} rule, settings version {reason.settings_version}
            </span>
          </li>
        ))}
      </ul>

      <h3>Partner activity on this account</h3>
      {signal.activity_log.length === 0 ? (
        <p className="soft">This partner has no recorded activity on this account.</p>
      ) : (
        <ActivityTimeline
          activities={signal.activity_log.map((activity) => ({
            ...activity,
            note: evidence.has(activity.id) ? 'counted' : undefined,
            where: evidence.has(activity.id) ? undefined : otherDeal(signal, activity.opportunity_id),
          }))}
        />
      )}

      <h3>History</h3>
      <SignalHistory history={signal.history} />
      <p className="soft small">
        Last changed <Ago at={signal.updated_at} /> · <code>{signal.id}</code>
      </p>
    </>
  );
}

/** An activity that names another deal of the account counts there. */
function otherDeal({ type, opportunity }: SignalDetail, id: string | null) {
  if (type !== 'co_sell' || id === null || id === opportunity.id) return undefined;
  return (
    <>
      not counted, because it names <OpportunityLink opportunity={{ id, name: 'another deal' }} />
    </>
  );
}
