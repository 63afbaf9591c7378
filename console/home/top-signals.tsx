import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Signal } from '../../src/client/types.ts';
import { useSession } from '../session/session.tsx';
import { AccountLink, OpportunityLink, PartnerLink } from '../ui/entity-links.tsx';
import { Loading } from '../ui/feedback.tsx';
import { formatMoney } from '../ui/format/numbers.ts';
import { Loaded } from '../ui/listing.tsx';
import { TypeTag } from '../ui/tags.tsx';
import { topSignals } from './queries.ts';

/** The new signals with the highest priority: who, why, and what to do. */
export function TopSignals() {
  const { client } = useSession();
  const query = useQuery(topSignals(client));
  return (
    <Loaded query={query} loading={<Loading shape="table" rows={5} />}>
      {(signals) =>
        signals.length === 0 ? (
          <p className="soft">No new signals.</p>
        ) : (
          <ol>
            {signals.map((signal) => (
              <TopSignal key={signal.id} signal={signal} />
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}

function TopSignal({ signal }: { signal: Signal }) {
  const { id, opportunity, account, partner, owner, assignee, priority, recommended_action, type } = signal;
  const inCrm = opportunity.stage !== 'prospective';
  return (
    <li className="top-signal">
      <p className="priority">
        <span className="unseen">Priority </span>
        <span className="priority-number">{priority}</span>
        <meter className="meter" min={0} max={100} value={priority ?? 0} aria-hidden="true" />
      </p>
      <div>
        <h3>
          <Link to="/signals/$signalId" params={{ signalId: id }} search={{ state: 'new' }}>
            <bdi>{inCrm ? opportunity.name : account.name}</bdi>
          </Link>
        </h3>
        <p className="soft small">
          <AccountLink account={account} /> with <PartnerLink partner={partner} />
          {inCrm ? (
            <>
              {' · '}
              <span className="value">{formatMoney(opportunity.value, opportunity.currency)}</span>
              {' · '}
              <bdi>{opportunity.stage}</bdi>
              {' · '}
              <span className="nowrap">
                <OpportunityLink opportunity={{ id: opportunity.id, name: 'view deal' }} />
              </span>
            </>
          ) : (
            ' · no open deal yet'
          )}
          {(assignee ?? owner) && (
            <>
              {' · '}
              {assignee ? 'assigned to ' : 'owner '}
              <bdi>{(assignee ?? owner)?.name ?? (assignee ?? owner)?.email}</bdi>
            </>
          )}
        </p>
        <p className="why">{recommended_action}</p>
      </div>
      <TypeTag type={type} />
    </li>
  );
}
