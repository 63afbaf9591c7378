import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { AttributionRecordDetail } from '../../src/client/types.ts';
import { attributionRecord } from '../session/queries.ts';
import { useSession } from '../session/session.tsx';
import { ArrivalHeading, Loading, Problem, StateMark } from '../ui/parts.tsx';
import { Ago, Day } from '../ui/time.tsx';
import { formatNumber, inWords, partnerTypeWords, tierWords } from '../ui/words.ts';
import { Disputes } from './disputes.tsx';
import { EvidenceLog } from './evidence-log.tsx';

export function RecordPage() {
  const { client } = useSession();
  const { recordId } = useParams({ from: '/attribution/$recordId' });
  const filters = useSearch({ from: '/attribution/$recordId' });
  const { data, error, isPending, refetch } = useQuery(attributionRecord(client, recordId));
  return (
    <div className="record" key={recordId}>
      <p className="back">
        <Link to="/attribution" search={filters}>
          Attribution
        </Link>{' '}
        <span aria-hidden="true">/</span>
      </p>
      <title>{`${data ? `${data.opportunity.name}, ${data.partner.name}` : 'Attribution'} · Partner Signals`}</title>
      {isPending && <Loading />}
      {error && !data && <Problem error={error} retry={() => void refetch()} />}
      {data && <Detail record={data} />}
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
        {tierWords[record.tier]} credit for <bdi>{record.partner.name}</bdi>
      </p>
      <div className="figures">
        <Credit record={record} />
        <Deal record={record} />
      </div>
      <div className="columns record-columns">
        <EvidenceLog evidence={record.evidence_log} />
        <Disputes record={record} />
      </div>
      <p className="soft small record-end">
        Last change <Ago at={record.updated_at} /> · <code>{record.id}</code>
      </p>
    </>
  );
}

function Credit({ record }: { record: AttributionRecordDetail }) {
  const { tier, status, dispute_status, partner, policy_version } = record;
  return (
    <div className="card figure">
      <h2>Credit</h2>
      <p className="big">{tierWords[tier]}</p>
      <p className="marks">
        <StateMark state={status} />
        {dispute_status === 'open' && <a href="#disputes-title">A dispute is open</a>}
      </p>
      <p className="soft">
        {status === 'reversed' &&
          'The deal is no longer won, or its evidence is gone: this counts in no total. '}
        For{' '}
        <Link to="/partners/$partnerId" params={{ partnerId: partner.id }}>
          <bdi>{partner.name}</bdi>
        </Link>
        , {partnerTypeWords[partner.type].toLowerCase()}, by policy version {policy_version}.
      </p>
    </div>
  );
}

function Deal({ record: { opportunity, account, closed_date } }: { record: AttributionRecordDetail }) {
  return (
    <div className="card figure">
      <h2>Deal</h2>
      <p className="big value">{formatNumber(opportunity.value)}</p>
      <p>
        <bdi>{inWords(opportunity.stage)}</bdi>, <Day day={closed_date} />
      </p>
      <p className="soft">
        With <bdi>{account.name}</bdi> (<bdi>{account.crm_id}</bdi> in the CRM).{' '}
        <Link to="/signals" search={{ account_id: account.id }}>
          All its signals
        </Link>
      </p>
    </div>
  );
}
