import type { Client } from '../../src/client/client.ts';
import type { PartnerQuery } from '../../src/client/types.ts';
import { type Period, toQuery } from '../attribution/period.ts';
import { pages, record } from '../session/queries.ts';

export function partnerList({ partners }: Client, filters: PartnerQuery) {
  return pages(['partners', filters], (page, call) =>
    partners.list({ ...filters, ...page, limit: 100 }, call),
  );
}

export function scorecard({ partners }: Client, filters: Period & Pick<PartnerQuery, 'type' | 'tier'>) {
  return record(['scorecard', filters], (call) => partners.scorecard(toQuery(filters), call));
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
