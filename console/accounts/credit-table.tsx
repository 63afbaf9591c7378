import { Link } from '@tanstack/react-router';
import type { AttributionRecord } from '../../src/client/types.ts';
import { OpportunityLink } from '../ui/entity-links.tsx';
import { formatMoney } from '../ui/format/numbers.ts';
import { type ListQuery, ListTable } from '../ui/listing.tsx';
import { Section } from '../ui/section.tsx';
import { StatusMark, TierTag } from '../ui/tags.tsx';

type Props = { query: ListQuery<AttributionRecord>; showOpportunity?: boolean };

/** Who is credited, with what part of the value, and what is disputed. */
export function CreditTable({ query, showOpportunity }: Props) {
  const records = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Section id="credit" title="Credit">
      <ListTable
        query={query}
        rows={3}
        empty={<p className="soft">No partner is credited here. Credit is decided when a deal is won.</p>}
        className="table stacking wide"
        columns={['Partner', 'Tier']}
        numbers={['Credited']}
        row={(record) => <Row key={record.id} record={record} showOpportunity={showOpportunity === true} />}
        more="records"
      />
      {!showOpportunity && <Split records={records} />}
    </Section>
  );
}

/** How the value of a deal with several credited partners was split. */
function Split({ records }: { records: AttributionRecord[] }) {
  const active = records.filter(({ status }) => status === 'active');
  const [first] = active;
  if (!first || active.length < 2) return null;
  const { value, currency } = first.opportunity;
  const inFull = active.every(({ credited_value }) => credited_value === value);
  return (
    <p className="soft small">
      {inFull
        ? 'The policy credits each partner with the full value.'
        : `The policy splits the value. The shares add up to ${formatMoney(value, currency)}.`}
    </p>
  );
}

function Row({ record, showOpportunity }: { record: AttributionRecord; showOpportunity: boolean }) {
  const { id, partner, opportunity, tier, status, dispute_status, credited_value } = record;
  const { value, currency } = opportunity;
  return (
    <tr>
      <td>
        <Link to="/attribution/$recordId" params={{ recordId: id }} className="strong">
          <bdi>{partner.name}</bdi>
        </Link>
        {showOpportunity && (
          <div className="soft small">
            <OpportunityLink opportunity={opportunity} />
          </div>
        )}
      </td>
      <td data-label="Tier">
        <TierTag tier={tier} /> {status === 'reversed' && <StatusMark status={status} />}
        {dispute_status !== 'none' && (
          <div className="small">
            Dispute: <StatusMark status={dispute_status} />
          </div>
        )}
      </td>
      <td className="number" data-label="Credited">
        {formatMoney(credited_value, currency)}
        <div className="soft small">
          {value > 0 && `${Math.round((credited_value / value) * 100)}% of `}
          {formatMoney(value, currency)}
        </div>
      </td>
    </tr>
  );
}
