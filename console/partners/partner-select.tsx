import { Select } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.tsx';
import { partnerDetail, partnerList } from './queries.ts';

type Props = { partnerId: string | undefined; onChange(partnerId: string | undefined): void };

/** Filters a list by partner. */
export function PartnerSelect({ partnerId, onChange }: Props) {
  const { client } = useSession();
  const partners = useInfiniteQuery(partnerList(client, {})).data?.pages.flatMap((page) => page.data) ?? [];
  const listed = partners.some(({ id }) => id === partnerId);
  const chosen = useQuery({
    ...partnerDetail(client, partnerId ?? ''),
    enabled: partnerId !== undefined && partners.length > 0 && !listed,
  }).data;
  const options = chosen && !listed ? [...partners, chosen] : partners;
  return (
    <Select
      aria-label="Partner"
      placeholder="All partners"
      data={options.map(({ id, name }) => ({ value: id, label: name }))}
      value={partnerId ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Show all partners' }}
      nothingFoundMessage="Not among the first 100 partners. Find it on the Partners page."
      comboboxProps={{ withinPortal: false }}
    />
  );
}
