import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { OpportunityDetail } from '../../src/client/types.ts';
import { useSession } from '../session/session.tsx';
import { ArrivalHeading } from '../ui/arrival-heading.tsx';
import { AccountLink } from '../ui/entity-links.tsx';
import { Loaded } from '../ui/listing.tsx';
import { formatMoney } from '../ui/numbers.ts';
import { PersonName } from '../ui/person-name.tsx';
import { Day } from '../ui/time.tsx';
import { capitalize } from '../ui/words.ts';
import { AccountPartners } from './account-partners.tsx';
import { AccountTimeline } from './account-timeline.tsx';
import { CreditTable } from './credit-table.tsx';
import { Fact } from './fact.tsx';
import { accountDetail, accountSignals, creditOf, dealDetail } from './queries.ts';
import { SignalTable } from './signal-table.tsx';

export function DealPage() {
  const { client } = useSession();
  const { dealId } = useParams({ from: '/deals/$dealId' });
  const query = useQuery(dealDetail(client, dealId));
  const deal = query.data;
  return (
    <div className="deal" key={dealId}>
      <p className="back">
        <Link to="/signals">Signals</Link> <span aria-hidden="true">/</span>{' '}
        {deal && (
          <>
            <AccountLink account={deal.account} /> <span aria-hidden="true">/</span>
          </>
        )}
      </p>
      <title>{`${deal?.name ?? 'Deal'} · Partner Signals`}</title>
      <Loaded query={query}>{(deal) => <Detail deal={deal} />}</Loaded>
    </div>
  );
}

function Detail({ deal }: { deal: OpportunityDetail }) {
  const { client } = useSession();
  const account = useQuery(accountDetail(client, deal.account.id));
  const credit = useInfiniteQuery(creditOf(client, { opportunity_id: deal.id }));
  const signals = useInfiniteQuery({
    ...accountSignals(client, deal.account.id),
    select: ({ pages, pageParams }) => ({
      pageParams,
      pages: pages.map((page) => ({
        ...page,
        data: page.data.filter(({ opportunity }) => opportunity.id === deal.id),
      })),
    }),
  });
  return (
    <>
      <ArrivalHeading level={1}>
        <bdi>{deal.name}</bdi>
      </ArrivalHeading>
      <p className="soft">
        Deal with <AccountLink account={deal.account} />
        {deal.status === 'prospective' && '. Your CRM has no deal on this account yet.'}
      </p>
      <Facts deal={deal} />
      <div className="columns main-and-side">
        <div className="stack">
          <CreditTable query={credit} />
          <SignalTable query={signals} />
          <Loaded query={account} rows={3}>
            {(account) => <AccountPartners account={account} />}
          </Loaded>
        </div>
        <AccountTimeline accountId={deal.account.id} dealId={deal.id} />
      </div>
    </>
  );
}

function Facts({ deal }: { deal: OpportunityDetail }) {
  const { value, currency, converted, status, stage, opened_at, closed_date, owner, crm_id } = deal;
  return (
    <dl className="account-facts">
      <Fact name="Value">
        <span className="strong value">{formatMoney(value, currency)}</span>
        {converted && converted.currency !== currency && (
          <div className="soft small">
            {formatMoney(converted.value, converted.currency)} at a rate of {converted.rate} on{' '}
            <Day day={converted.rate_date} />
          </div>
        )}
      </Fact>
      <Fact name="Status">{capitalize(status)}</Fact>
      {status !== 'prospective' && (
        <Fact name="Stage">
          <bdi>{stage}</bdi>
        </Fact>
      )}
      {opened_at && (
        <Fact name="Opened">
          <Day day={opened_at.slice(0, 10)} />
        </Fact>
      )}
      {closed_date && (
        <Fact name={status === 'open' ? 'Expected close' : 'Closed'}>
          <Day day={closed_date} />
        </Fact>
      )}
      <Fact name="Owner">
        <PersonName person={owner} none="Not set in the CRM" />
      </Fact>
      {crm_id && (
        <Fact name="CRM ID">
          <bdi>{crm_id}</bdi>
        </Fact>
      )}
    </dl>
  );
}
