import { TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ChangeEvent, useState } from 'react';
import { tiers, tierWords } from '../../src/vocabulary.ts';
import { type AttributionSearch, toQuery } from '../credit/period.ts';
import { PeriodChoices } from '../credit/period-choices.tsx';
import { attributionList, attributionSummary } from '../credit/queries.ts';
import { RecordTable } from '../credit/record-table.tsx';
import { PartnerSelect } from '../partners/partner-select.tsx';
import { useSession } from '../session/session.tsx';
import { Choices } from '../ui/choices.tsx';
import { Download } from '../ui/download.tsx';
import { LoadMore, Refresh } from '../ui/feedback.tsx';
import { Filters } from '../ui/filters.tsx';
import { ImportCommand } from '../ui/import-command.tsx';
import { NoRows, Together } from '../ui/listing.tsx';
import { AttributionTotals } from './attribution-totals.tsx';

export function AttributionPage() {
  const { client } = useSession();
  const filters = useSearch({ from: '/attribution' });
  const query = useInfiniteQuery(attributionList(client, toQuery(filters)));
  const summary = useQuery(attributionSummary(client, toQuery(filters)));
  return (
    <div className="attribution">
      <title>Attribution · Partner Signals</title>
      <div className="page-head">
        <h1>Attribution</h1>
        <Download name="attribution" csv={() => client.attribution.list(toQuery(filters)).csv()} />
        <Refresh list={['attribution']} also={{ queryKey: ['attribution-summary'] }} />
      </div>
      <RecordFilters filters={filters} />
      <Together queries={[summary, query]}>
        <AttributionTotals filters={filters} />
        <div className="card">
          <RecordTable
            query={query}
            rows={8}
            empty={
              <NoRows
                filtered={{ by: filters, what: 'records', to: '/attribution' }}
                none="No partner has been credited yet."
              >
                Partners get credit when a deal that they helped with is won. Import your deals and what your
                partners did on them. <ImportCommand kind="opportunities" />{' '}
                <ImportCommand kind="activities" />
              </NoRows>
            }
            filters={filters}
          />
        </div>
        <LoadMore pages={query} what="records" />
      </Together>
    </div>
  );
}

function RecordFilters({ filters }: { filters: AttributionSearch }) {
  const navigate = useNavigate();
  const filter = (change: AttributionSearch) =>
    void navigate({ to: '/attribution', search: { ...filters, ...change } });
  return (
    <Filters active={[filters.tier, filters.partner_id, filters.from ?? filters.to]}>
      <Choices label="Tier" to="/attribution" search={filters} name="tier" values={tiers} words={tierWords} />
      <PeriodChoices to="/attribution" search={filters} label="Closed in" />
      <div className="day-filters">
        <DayFilter label="From" day={filters.from} onChange={(from) => filter({ from })} />
        <DayFilter label="To" day={filters.to} onChange={(to) => filter({ to })} />
      </div>
      <PartnerSelect partnerId={filters.partner_id} onChange={(partner_id) => filter({ partner_id })} />
    </Filters>
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
