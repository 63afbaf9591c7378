import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AttributionRecord } from '../../src/client/types.ts';
import { AccountLink, OpportunityLink, PartnerLink } from '../ui/entity-links.tsx';
import { formatMoney } from '../ui/format/numbers.ts';
import { Day } from '../ui/format/time.tsx';
import { type ListQuery, ListTable } from '../ui/listing.tsx';
import { StatusMark, TierTag } from '../ui/tags.tsx';
import type { AttributionSearch } from './period.ts';

type Props = {
  query: ListQuery<AttributionRecord>;
  rows: number;
  empty: ReactNode;
  more?: string;
  /** The filters of the page, for the link back; absent on a partner's page. */
  filters?: AttributionSearch;
};

/** Records deal by deal. */
export function RecordTable({ filters, ...list }: Props) {
  return (
    <ListTable
      {...list}
      className="table many-columns records"
      columns={['Deal', filters ? 'Partner' : 'Account', 'Tier', 'Dispute']}
      numbers={['Credited', 'Closed']}
      row={(record) => <Row key={record.id} record={record} filters={filters} />}
    />
  );
}

type RowProps = { record: AttributionRecord; filters: AttributionSearch | undefined };

function Row({ record, filters }: RowProps) {
  const { id, opportunity, account, partner, tier, status, dispute_status, closed_date, credited_value } =
    record;
  return (
    <tr>
      <td>
        <Link to="/attribution/$recordId" params={{ recordId: id }} search={filters ?? {}} className="strong">
          <bdi>{opportunity.name}</bdi>
        </Link>
        <div className="line soft small">
          {filters && (
            <>
              <AccountLink account={account} />
              <span aria-hidden="true">{'\u00a0·\u00a0'}</span>
            </>
          )}
          <OpportunityLink opportunity={{ ...opportunity, name: 'view deal' }} />
        </div>
      </td>
      <td data-label={filters ? 'Partner' : 'Account'}>
        {filters ? <PartnerLink partner={partner} /> : <AccountLink account={account} />}
      </td>
      <td data-label="Tier">
        <TierTag tier={tier} /> {status === 'reversed' && <StatusMark status={status} />}
      </td>
      <td data-label="Dispute">{dispute_status !== 'none' && <StatusMark status={dispute_status} />}</td>
      <td className="number" data-label="Credited">
        {formatMoney(credited_value, opportunity.currency)}
        {filters && credited_value !== opportunity.value && (
          <div className="soft small">of {formatMoney(opportunity.value, opportunity.currency)}</div>
        )}
      </td>
      <td className="number" data-label="Closed">
        <Day day={closed_date} />
      </td>
    </tr>
  );
}
