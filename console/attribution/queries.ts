import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Client } from '../../src/client/client.ts';
import type { AttributionSummaryQuery, Dispute } from '../../src/client/types.ts';
import { pages } from '../session/queries.ts';

export function attributionList({ attribution }: Client, filters: AttributionSummaryQuery) {
  return pages(['attribution', filters], (page, call) => attribution.list({ ...filters, ...page }, call));
}

export function attributionSummary({ attribution }: Client, filters: AttributionSummaryQuery) {
  return queryOptions({
    queryKey: ['attribution-summary', filters],
    queryFn: async ({ signal }) => (await attribution.summary(filters, { signal })).data,
  });
}

export function attributionRecord({ attribution }: Client, id: string) {
  return queryOptions({
    queryKey: ['attribution-record', id],
    queryFn: async ({ signal }) => (await attribution.get(id, { signal })).data,
  });
}

/** Reloads what a dispute changes. An accepted one can change other records of the same deal. */
export function showDispute(queries: QueryClient, { record_id, status }: Dispute): void {
  const accepted = status === 'accepted';
  void queries.invalidateQueries({ queryKey: ['attribution-record', ...(accepted ? [] : [record_id])] });
  void queries.invalidateQueries({ queryKey: ['attribution'] });
  if (accepted) void queries.invalidateQueries({ queryKey: ['attribution-summary'] });
}
