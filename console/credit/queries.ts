import type { QueryClient } from '@tanstack/react-query';
import type { Client } from '../../src/client/client.ts';
import type { AttributionQuery, AttributionSummaryQuery, Dispute } from '../../src/client/types.ts';
import { pages, record } from '../session/queries.ts';

export function attributionList({ attribution }: Client, filters: AttributionQuery) {
  return pages(['attribution', filters], (page, call) => attribution.list({ ...filters, ...page }, call));
}

export function attributionSummary({ attribution }: Client, filters: AttributionSummaryQuery) {
  return record(['attribution-summary', filters], (call) => attribution.summary(filters, call));
}

export function attributionRecord({ attribution }: Client, id: string) {
  return record(['attribution-record', id], (call) => attribution.get(id, call));
}

/** Reloads what a dispute changes. An accepted one can change other records of the same deal. */
export function showDispute(queries: QueryClient, { record_id, status }: Dispute): void {
  const accepted = status === 'accepted';
  void queries.invalidateQueries({ queryKey: ['attribution-record', ...(accepted ? [] : [record_id])] });
  void queries.invalidateQueries({ queryKey: ['attribution'] });
  if (accepted) void queries.invalidateQueries({ queryKey: ['attribution-summary'] });
}
