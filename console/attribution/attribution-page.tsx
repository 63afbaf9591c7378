import { TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ChangeEvent, useState } from 'react';
import type { AttributionRecord } from '../../src/client/types.ts';
import { tiers, tierWords } from '../../src/vocabulary.ts';
import { type AttributionSearch, toQuery } from '../credit/period.ts';
import { PeriodChoices } from '../credit/period-choices.tsx';
import { attributionList } from '../credit/queries.ts';
import { PartnerSelect } from '../partners/partner-select.tsx';
import { useSession } from '../session/session.tsx';
import { Choices } from '../ui/choices.tsx';
import { Download } from '../ui/download.tsx';
import { AccountLink, DealLink, PartnerLink } from '../ui/entity-links.tsx';
import { LoadMore, Refresh } from '../ui/feedback.tsx';
import { ListTable, NoRows } from '../ui/listing.tsx';
import { formatMoney } from '../ui/numbers.ts';
import { StatusMark, TierTag } from '../ui/tags.tsx';
import { Day } from '../ui/time.tsx';
import { AttributionTotals } from './attribution-totals.tsx';

export function AttributionPage() {
  const { client } = useSession();
  const filters = useSearch({ from: '/attribution' });
  const query = useInfiniteQuery(attributionList(client, toQuery(filters)));
  return (
    <div className="attribution">
      <title>Attribution · Partner Signals</title>
      <div className="page-head">
        <h1>Attribution</h1>
        <Download name="attribution" csv={() => client.attribution.list(toQuery(filters)).csv()} />
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
          numbers={['Credited', 'Closed']}
          row={(record) => <Row key={record.id} record={record} filters={filters} />}
        />
      </div>
      <LoadMore pages={query} what="records" />
    </div>
  );
}

function Row({ record, filters }: { record: AttributionRecord; filters: AttributionSearch }) {
  const { id, opportunity, account, partner, tier, status, dispute_status, closed_date, credited_value } =
    record;
  return (
    <tr>
      <td>
        <Link to="/attribution/$recordId" params={{ recordId: id }} search={filters} className="strong">
          <bdi>{opportunity.name}</bdi>
        </Link>
        <div className="soft small">
          <AccountLink account={account} /> · <DealLink deal={{ ...opportunity, name: 'view deal' }} />
        </div>
      </td>
      <td>
        <PartnerLink partner={partner} />
      </td>
      <td className="record-tier">
        <TierTag tier={tier} /> {status === 'reversed' && <StatusMark status={status} />}
      </td>
      <td>{dispute_status !== 'none' && <StatusMark status={dispute_status} />}</td>
      <td className="number">
        {formatMoney(credited_value, opportunity.currency)}
        {credited_value !== opportunity.value && (
          <div className="soft small">of {formatMoney(opportunity.value, opportunity.currency)}</div>
        )}
      </td>
      <td className="number record-day">
        <Day day={closed_date} />
      </td>
    </tr>
  );
}

function Filters({ filters }: { filters: AttributionSearch }) {
  const navigate = useNavigate();
  const filter = (change: AttributionSearch) =>
    void navigate({ to: '/attribution', search: { ...filters, ...change } });
  return (
    <search className="line filters" aria-label="Filters">
      <Choices label="Tier" to="/attribution" search={filters} name="tier" values={tiers} words={tierWords} />
      <PeriodChoices to="/attribution" search={filters} label="Closed in" />
      <div className="day-filters">
        <DayFilter label="From" day={filters.from} onChange={(from) => filter({ from })} />
        <DayFilter label="To" day={filters.to} onChange={(to) => filter({ to })} />
      </div>
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
