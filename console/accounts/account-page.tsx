import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { AccountDetail, Opportunity } from '../../src/client/types.ts';
import { AccountSuggestions } from '../matches/account-suggestions.tsx';
import { suggestionQueue } from '../matches/queries.ts';
import { useSession } from '../session/session.tsx';
import { ArrivalHeading } from '../ui/arrival-heading.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { OpportunityLink } from '../ui/entity-links.tsx';
import { LoadingPage } from '../ui/feedback.tsx';
import { formatMoney } from '../ui/format/numbers.ts';
import { Day } from '../ui/format/time.tsx';
import { capitalize, countryName } from '../ui/format/words.ts';
import { ListTable, Loaded, Together } from '../ui/listing.tsx';
import { PersonName } from '../ui/person-name.tsx';
import { PrintButton } from '../ui/print.tsx';
import { Section } from '../ui/section.tsx';
import { AccountPartners } from './account-partners.tsx';
import { AccountTimeline } from './account-timeline.tsx';
import { CreditTable } from './credit-table.tsx';
import { Fact } from './fact.tsx';
import {
  accountActivities,
  accountDetail,
  accountOpportunities,
  accountSignals,
  creditOf,
} from './queries.ts';
import { SignalTable } from './signal-table.tsx';

export function AccountPage() {
  const { client } = useSession();
  const { accountId } = useParams({ from: '/accounts/$accountId' });
  const query = useQuery(accountDetail(client, accountId));
  return (
    <div className="account" key={accountId}>
      <div className="page-head page-top">
        <Breadcrumbs page={query.data?.name}>
          <Link to="/">Home</Link>
        </Breadcrumbs>
        <PrintButton />
      </div>
      <title>{`${query.data?.name ?? 'Account'} · Partner Signals`}</title>
      <Loaded query={query} loading={<LoadingPage />}>
        {(account) => <Detail account={account} />}
      </Loaded>
    </div>
  );
}

function Detail({ account }: { account: AccountDetail }) {
  const { client } = useSession();
  const signals = useInfiniteQuery(accountSignals(client, account.id));
  const credit = useInfiniteQuery(creditOf(client, { account_id: account.id }));
  const lists = [
    signals,
    credit,
    useInfiniteQuery(accountOpportunities(client, account.id)),
    useInfiniteQuery(accountActivities(client, account.id)),
    useInfiniteQuery(suggestionQueue(client, { account_id: account.id })),
  ];
  return (
    <>
      <ArrivalHeading level={1}>
        <bdi>{account.name}</bdi>
      </ArrivalHeading>
      <Facts account={account} />
      {account.merged_into && (
        <p className="advice">
          This account was merged into another one.{' '}
          <Link to="/accounts/$accountId" params={{ accountId: account.merged_into }}>
            Open that account
          </Link>
        </p>
      )}
      <Together queries={lists}>
        <div className="columns">
          <div className="stack">
            <Opportunities accountId={account.id} />
            <AccountPartners account={account} />
            <AccountSuggestions accountId={account.id} />
          </div>
          <div className="stack">
            <SignalTable query={signals} showOpportunity />
            <CreditTable query={credit} showOpportunity />
          </div>
        </div>
        <AccountTimeline accountId={account.id} />
      </Together>
    </>
  );
}

function Facts({ account }: { account: AccountDetail }) {
  const { crm_id, country, registry_number, owner } = account;
  const domains = [account.domain, ...account.extra_domains].filter((domain) => domain !== null);
  return (
    <dl className="account-facts">
      <Fact name="Owner">
        <PersonName person={owner} none="Not set in the CRM" />
      </Fact>
      {domains.length > 0 && (
        <Fact name={domains.length === 1 ? 'Domain' : 'Domains'}>{domains.join(', ')}</Fact>
      )}
      {country && <Fact name="Country">{countryName(country)}</Fact>}
      {registry_number && (
        <Fact name="Registry number">
          <bdi>{registry_number}</bdi>
        </Fact>
      )}
      <Fact name="CRM ID">
        <bdi>{crm_id}</bdi>
      </Fact>
    </dl>
  );
}

function Opportunities({ accountId }: { accountId: string }) {
  const { client } = useSession();
  const query = useInfiniteQuery(accountOpportunities(client, accountId));
  return (
    <Section id="deals" title="Deals">
      <ListTable
        query={query}
        rows={3}
        empty={<p className="soft">Your CRM has no deal on this account.</p>}
        className="table stacking wide"
        columns={['Deal', 'Status']}
        numbers={['Value']}
        row={(opportunity) => <OpportunityRow key={opportunity.id} opportunity={opportunity} />}
        more="deals"
      />
    </Section>
  );
}

function OpportunityRow({ opportunity }: { opportunity: Opportunity }) {
  const { status, stage, value, currency, closed_date } = opportunity;
  return (
    <tr>
      <td>
        <OpportunityLink opportunity={opportunity} className="strong" />
        <div className="soft small">
          Stage: <bdi>{stage}</bdi>
        </div>
      </td>
      <td data-label="Status">
        {capitalize(status)}
        {closed_date && (
          <div className="soft small">
            {status === 'open' && 'Expected close: '}
            <Day day={closed_date} />
          </div>
        )}
      </td>
      <td className="number" data-label="Value">
        {formatMoney(value, currency)}
      </td>
    </tr>
  );
}
