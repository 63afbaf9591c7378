import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../session/session.tsx';
import { partnerDetail, partnersFound } from './queries.ts';

type Props = { partnerId: string | undefined; onChange(partnerId: string | undefined): void };

/** Filters a list by partner. Searches all partners while you type. */
export function PartnerSelect({ partnerId, onChange }: Props) {
  const { client } = useSession();
  const [typed, setTyped] = useState('');
  const chosen = useQuery({
    ...partnerDetail(client, partnerId ?? ''),
    enabled: partnerId !== undefined,
  }).data;
  // The field shows the name of the chosen partner, which is not a search.
  const [searched] = useDebouncedValue(typed === chosen?.name ? '' : typed, 250);
  const found = useQuery({ ...partnersFound(client, searched), placeholderData: keepPreviousData });
  const partners = found.data?.data ?? [];
  const options = chosen && !partners.some(({ id }) => id === chosen.id) ? [chosen, ...partners] : partners;
  return (
    <Select
      aria-label="Partner"
      placeholder="All partners"
      data={options.map(({ id, name }) => ({ value: id, label: name }))}
      value={partnerId ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The service has already searched.
      filter={({ options }) => options}
      clearable
      clearButtonProps={{ 'aria-label': 'Show all partners', 'aria-hidden': false, tabIndex: 0 }}
      nothingFoundMessage={found.isFetching ? 'Searching…' : 'No partner name begins with this.'}
      comboboxProps={{ withinPortal: false }}
    />
  );
}
