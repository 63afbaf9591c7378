import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { OpportunityDetail } from '../../src/client/types.ts';
import { useSession } from '../session/session.tsx';
import { ArrivalHeading } from '../ui/arrival-heading.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { AccountLink } from '../ui/entity-links.tsx';
import { LoadingPage } from '../ui/feedback.tsx';
import { formatMoney } from '../ui/format/numbers.ts';
import { Day } from '../ui/format/time.tsx';
import { capitalize } from '../ui/format/words.ts';
import { Loaded, Together } from '../ui/listing.tsx';
import { PersonName } from '../ui/person-name.tsx';
import { PrintButton } from '../ui/print.tsx';
import { AccountPartners } from './account-partners.tsx';
import { AccountTimeline } from './account-timeline.tsx';
import { CreditTable } from './credit-table.tsx';
import { Fact } from './fact.tsx';
import { accountActivities, accountDetail, accountSignals, creditOf, opportunityDetail } from './queries.ts';
import { SignalTable } from './signal-table.tsx';

export function OpportunityPage() {
  const { client } = useSession();
  const { opportunityId } = useParams({ from: '/deals/$opportunityId' });
  const query = useQuery(opportunityDetail(client, opportunityId));
  const opportunity = query.data;
  return (
    <div className="opportunity" key={opportunityId}>
      <div className="page-head page-top">
        <Breadcrumbs page={opportunity?.name}>
          <Link to="/">Home</Link>
          {opportunity && <AccountLink account={opportunity.account} title={opportunity.account.name} />}
        </Breadcrumbs>
        <PrintButton />
      </div>
      <title>{`${opportunity?.name ?? 'Deal'} · Partner Signals`}</title>
      <Loaded query={query} loading={<LoadingPage />}>
        {(opportunity) => <Detail opportunity={opportunity} />}
      </Loaded>
    </div>
  );
}

function Detail({ opportunity }: { opportunity: OpportunityDetail }) {
  const { client } = useSession();
  const account = useQuery(accountDetail(client, opportunity.account.id));
  const credit = useInfiniteQuery(creditOf(client, { opportunity_id: opportunity.id }));
  const signals = useInfiniteQuery({
    ...accountSignals(client, opportunity.account.id),
    select: ({ pages, pageParams }) => ({
      pageParams,
      pages: pages.map((page) => ({
        ...page,
        data: page.data.filter((signal) => signal.opportunity.id === opportunity.id),
      })),
    }),
  });
  const activities = useInfiniteQuery(accountActivities(client, opportunity.account.id));
  return (
    <>
      <ArrivalHeading level={1}>
        <bdi>{opportunity.name}</bdi>
      </ArrivalHeading>
      <p className="soft">
        Deal with <AccountLink account={opportunity.account} />
        {opportunity.status === 'prospective' && '. Your CRM has no deal on this account yet.'}
      </p>
      <Facts opportunity={opportunity} />
      <Together queries={[account, credit, signals, activities]}>
        <div className="columns">
          <div className="stack">
            <CreditTable query={credit} />
            <SignalTable query={signals} />
          </div>
          <Loaded query={account} rows={3}>
            {(account) => <AccountPartners account={account} />}
          </Loaded>
        </div>
        <AccountTimeline accountId={opportunity.account.id} opportunityId={opportunity.id} />
      </Together>
    </>
  );
}

function Facts({ opportunity }: { opportunity: OpportunityDetail }) {
  const { value, currency, converted, status, stage, opened_at, closed_date, owner, crm_id } = opportunity;
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
