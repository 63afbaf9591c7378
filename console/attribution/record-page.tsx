import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { AttributionRecordDetail } from '../../src/client/types.ts';
import { partnerTypeWords, tierWords } from '../../src/vocabulary.ts';
import { attributionRecord } from '../credit/queries.ts';
import { useSession } from '../session/session.tsx';
import { ArrivalHeading } from '../ui/arrival-heading.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { AccountLink, OpportunityLink, PartnerLink } from '../ui/entity-links.tsx';
import { LoadingPage } from '../ui/feedback.tsx';
import { formatMoney } from '../ui/format/numbers.ts';
import { Ago, Day } from '../ui/format/time.tsx';
import { capitalize } from '../ui/format/words.ts';
import { Loaded } from '../ui/listing.tsx';
import { PrintButton } from '../ui/print.tsx';
import { StatusMark } from '../ui/tags.tsx';
import { Disputes } from './disputes.tsx';
import { EvidenceLog } from './evidence-log.tsx';

export function RecordPage() {
  const { client } = useSession();
  const { recordId } = useParams({ from: '/attribution/$recordId' });
  const filters = useSearch({ from: '/attribution/$recordId' });
  const query = useQuery(attributionRecord(client, recordId));
  const { data } = query;
  return (
    <div className="record" key={recordId}>
      <div className="page-head page-top">
        <Breadcrumbs page={data?.opportunity.name}>
          <Link to="/attribution" search={filters}>
            Attribution
          </Link>
        </Breadcrumbs>
        <PrintButton />
      </div>
      <title>{`${data ? `${data.opportunity.name}, ${data.partner.name}` : 'Attribution'} · Partner Signals`}</title>
      <Loaded query={query} loading={<LoadingPage />}>
        {(record) => <Detail record={record} />}
      </Loaded>
    </div>
  );
}

function Detail({ record }: { record: AttributionRecordDetail }) {
  return (
    <>
      <ArrivalHeading level={1}>
        <bdi>{record.opportunity.name}</bdi>
      </ArrivalHeading>
      <p className="soft">
        {capitalize(tierWords[record.tier])} credit for <PartnerLink partner={record.partner} /> ·{' '}
        <OpportunityLink opportunity={{ ...record.opportunity, name: 'everyone credited for this deal' }} />
      </p>
      <div className="figures">
        <Credit record={record} />
        <OpportunityFact record={record} />
      </div>
      <div className="columns main-and-side">
        <EvidenceLog evidence={record.evidence_log} closedDate={record.closed_date} />
        <Disputes record={record} />
      </div>
      <p className="soft small below">
        Last changed <Ago at={record.updated_at} /> · <code>{record.id}</code>
      </p>
    </>
  );
}

function Credit({ record }: { record: AttributionRecordDetail }) {
  const { tier, status, dispute_status, partner, settings_version, credited_value, opportunity } = record;
  return (
    <div className="card figure">
      <h2>Credit</h2>
      <p className="big">
        {capitalize(tierWords[tier])}{' '}
        <span className="soft small">{formatMoney(credited_value, opportunity.currency)} of the deal</span>
      </p>
      <p className="marks">
        <StatusMark status={status} />
        {dispute_status === 'open' && <a href="#disputes-title">A dispute is open</a>}
      </p>
      <p className="soft">
        {status === 'reversed' &&
          'The deal is no longer won or its evidence was deleted, so no total includes this credit. '}
        Credited to <PartnerLink partner={partner} /> ({partnerTypeWords[partner.type]}) under{' '}
        <Link to="/policy">attribution policy</Link> version {settings_version}.
      </p>
    </div>
  );
}

function OpportunityFact({
  record: { opportunity, account, closed_date },
}: {
  record: AttributionRecordDetail;
}) {
  return (
    <div className="card figure">
      <h2>Deal</h2>
      <p className="big value">{formatMoney(opportunity.value, opportunity.currency)}</p>
      <p>
        Stage: <bdi>{opportunity.stage}</bdi> · closed on <Day day={closed_date} />
      </p>
      <p className="soft">
        Account: <AccountLink account={account} /> (CRM ID <bdi>{account.crm_id}</bdi>).{' '}
        <Link to="/signals" search={{ account_id: account.id }}>
          All signals on this account
        </Link>
      </p>
    </div>
  );
}
