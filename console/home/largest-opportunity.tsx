import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Scorecard } from '../../src/client/types.ts';
import { NoCurrency } from '../credit/no-currency.tsx';
import { hasDeals } from '../partners/scores.ts';
import { useSession } from '../session/session.tsx';
import { AccountLink, OpportunityLink } from '../ui/entity-links.tsx';
import { formatMoney, formatWholeMoney } from '../ui/format/numbers.ts';
import { Day } from '../ui/format/time.tsx';
import { Loaded } from '../ui/listing.tsx';
import { StatusMark, TierTag } from '../ui/tags.tsx';
import { creditOfOpportunity } from './queries.ts';

/** Who gets credit for the largest deal; each record shows the evidence. */
export function LargestOpportunity({ scorecard }: { scorecard: Scorecard }) {
  const { currency, largest_deals } = scorecard;
  const [largest, ...others] = largest_deals;
  if (!largest) return <NoCurrency none={currency !== null || !hasDeals(scorecard)} />;
  const { opportunity, account, closed_date } = largest;
  return (
    <>
      <div>
        <p className="big value">{formatMoney(opportunity.value, opportunity.currency)}</p>
        <p>
          <OpportunityLink opportunity={opportunity} />
        </p>
        <p className="soft small">
          <AccountLink account={account} /> · won on <Day day={closed_date} />
        </p>
      </div>
      <Credit opportunityId={opportunity.id} />
      {others.length > 0 && (
        <details>
          <summary>Next largest deals</summary>
          <ol className="compact-list">
            {others.map((next) => (
              <li key={next.opportunity.id}>
                <OpportunityLink opportunity={next.opportunity} />
                <span className="value">{formatWholeMoney(next.value, currency)}</span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

function Credit({ opportunityId }: { opportunityId: string }) {
  const { client } = useSession();
  const query = useQuery(creditOfOpportunity(client, opportunityId));
  return (
    <Loaded query={query} rows={3}>
      {(records) => (
        <ul className="credited" aria-label="Credited partners">
          {records
            .filter(({ status }) => status === 'active')
            .map(({ id, partner, tier, credited_value, opportunity, dispute_status }) => (
              <li key={id}>
                <Link
                  to="/attribution/$recordId"
                  params={{ recordId: id }}
                  aria-label={`${partner.name}: see the evidence`}
                >
                  <bdi>{partner.name}</bdi>
                </Link>
                <TierTag tier={tier} />
                <span className="value">{formatMoney(credited_value, opportunity.currency)}</span>
                {dispute_status !== 'none' && (
                  <span className="soft small">
                    Dispute: <StatusMark status={dispute_status} />
                  </span>
                )}
              </li>
            ))}
        </ul>
      )}
    </Loaded>
  );
}
