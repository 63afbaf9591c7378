import { TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ChangeEvent, useState } from 'react';
import type { AttributionRecord, AttributionSummaryQuery } from '../../src/client/types.ts';
import { tiers, tierWords } from '../../src/vocabulary.ts';
import { PartnerSelect } from '../partners/partner-select.tsx';
import { useSession } from '../session/session.tsx';
import { Choice, Choices } from '../ui/choices.tsx';
import { LoadMore, Refresh } from '../ui/feedback.tsx';
import { ListTable, NoRows } from '../ui/listing.tsx';
import { formatMoney } from '../ui/numbers.ts';
import { StatusMark, TierTag } from '../ui/tags.tsx';
import { Day } from '../ui/time.tsx';
import { AttributionTotals } from './attribution-totals.tsx';
import { attributionList } from './queries.ts';

export function AttributionPage() {
  const { client } = useSession();
  const filters = useSearch({ from: '/attribution' });
  const query = useInfiniteQuery(attributionList(client, filters));
  return (
    <div className="attribution">
      <title>Attribution · Partner Signals</title>
      <div className="page-head">
        <h1>Attribution</h1>
        <Refresh list={['attribution']} also={{ queryKey: ['attribution-summary'] }} />
      </div>
      <Filters filters={filters} />
      <AttributionTotals filters={filters} />
      <div className="card">
        <ListTable
          query={query}
          rows={8}
          empty={
            <NoRows
              filtered={{ by: filters, what: 'records', to: '/attribution' }}
              none="No partner has been credited yet."
            >
              Partners get credit when a deal is won. Send deals to <code>/ingest/v1/opportunities</code> and
              partner activity to <code>/ingest/v1/activities</code>.
            </NoRows>
          }
          className="table stacking records"
          columns={['Deal', 'Partner', 'Tier', 'Dispute']}
          numbers={['Value', 'Closed']}
          row={(record) => <Row key={record.id} record={record} filters={filters} />}
        />
      </div>
      <LoadMore pages={query} what="records" />
    </div>
  );
}

function Row({ record, filters }: { record: AttributionRecord; filters: AttributionSummaryQuery }) {
  const { id, opportunity, account, partner, tier, status, dispute_status, closed_date } = record;
  return (
    <tr>
      <td>
        <Link to="/attribution/$recordId" params={{ recordId: id }} search={filters} className="strong">
          <bdi>{opportunity.name}</bdi>
        </Link>
        <div className="soft small">
          <bdi>{account.name}</bdi>
        </div>
      </td>
      <td>
        <bdi>{partner.name}</bdi>
      </td>
      <td className="record-tier">
        <TierTag tier={tier} /> {status === 'reversed' && <StatusMark status={status} />}
      </td>
      <td>{dispute_status !== 'none' && <StatusMark status={dispute_status} />}</td>
      <td className="number">{formatMoney(opportunity.value, opportunity.currency)}</td>
      <td className="number record-day">
        <Day day={closed_date} />
      </td>
    </tr>
  );
}

function Filters({ filters }: { filters: AttributionSummaryQuery }) {
  const navigate = useNavigate();
  const filter = (change: AttributionSummaryQuery) =>
    void navigate({ to: '/attribution', search: { ...filters, ...change } });
  return (
    <search className="filters" aria-label="Filters">
      <Choices label="Tier" values={tiers} words={tierWords}>
        {(tier, text) => (
          <Choice key={tier} to="/attribution" search={{ ...filters, tier }} chosen={filters.tier === tier}>
            {text}
          </Choice>
        )}
      </Choices>
      <DayFilter
        label="Closed after"
        day={filters.closed_after}
        onChange={(closed_after) => filter({ closed_after })}
      />
      <DayFilter
        label="Closed before"
        day={filters.closed_before}
        onChange={(closed_before) => filter({ closed_before })}
      />
      <PartnerSelect partnerId={filters.partner_id} onChange={(partner_id) => filter({ partner_id })} />
    </search>
  );
}

type DayFilterProps = { label: string; day: string | undefined; onChange(day: string | undefined): void };

function DayFilter({ label, day, onChange }: DayFilterProps) {
  // While you type, the field is ahead of the URL; do not reset it to the URL's value.
  const [typed, setTyped] = useState<string>();

  function change({ currentTarget: { value, validity } }: ChangeEvent<HTMLInputElement>) {
    setTyped(value);
    // An incomplete date has an empty value, and a half-typed year is a year before 1000.
    const half = validity.badInput || (value !== '' && value < '1000');
    if (!half) onChange(value === '' ? undefined : value);
  }

  return (
    <TextInput
      className="day-filter"
      type="date"
      label={label}
      value={typed ?? day ?? ''}
      onChange={change}
      onBlur={() => setTyped(undefined)}
    />
  );
}
