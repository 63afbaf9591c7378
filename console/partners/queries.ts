import { queryOptions } from '@tanstack/react-query';
import type { Client } from '../../src/client/client.ts';
import type { PartnerQuery } from '../../src/client/types.ts';
import { pages } from '../session/queries.ts';

export function partnerList({ partners }: Client, filters: PartnerQuery) {
  return pages(['partners', filters], (page, call) =>
    partners.list({ ...filters, ...page, limit: 100 }, call),
  );
}

export function partnerDetail({ partners }: Client, id: string) {
  return queryOptions({
    queryKey: ['partner', id],
    queryFn: async ({ signal }) => (await partners.get(id, { signal })).data,
  });
}

export function partnerOverlaps({ partners }: Client, id: string) {
  return pages(['partner', id, 'overlaps'], (page, call) =>
    partners.overlaps(id, { ...page, limit: 10 }, call),
  );
}

export function partnerActivities({ partners }: Client, id: string) {
  return pages(['partner', id, 'activities'], (page, call) =>
    partners.activities(id, { ...page, limit: 10 }, call),
  );
}
