import { Select } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { partnerDetail, partnerList } from '../session/queries.ts';
import { useSession } from '../session/session.tsx';

type Props = { partnerId: string | undefined; onChange(partnerId: string | undefined): void };

/** The filter by partner. */
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
      nothingFoundMessage="No such partner among the first 100; open it under Partners."
      comboboxProps={{ withinPortal: false }}
    />
  );
}
