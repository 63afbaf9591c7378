import { queryOptions } from '@tanstack/react-query';
import type { Client } from '../../src/client/client.ts';
import type { PartnerQuery } from '../../src/client/types.ts';
import { type Period, toQuery } from '../credit/period.ts';
import { pages, record } from '../session/queries.ts';

export function scorecard({ partners }: Client, filters: Period & Pick<PartnerQuery, 'type' | 'tier'>) {
  return record(['scorecard', filters], (call) => partners.scorecard(toQuery(filters), call));
}

/** Partners whose name begins with the typed text; the first page is enough to choose from. */
export function partnersFound({ partners }: Client, typed: string) {
  const q = typed.trim() || undefined;
  return queryOptions({
    queryKey: ['partners', 'found', q ?? ''],
    queryFn: ({ signal }) => partners.list({ q, limit: 50 }, { signal }).page(),
  });
}

export function partnerDetail({ partners }: Client, id: string) {
  return record(['partner', id], (call) => partners.get(id, call));
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
