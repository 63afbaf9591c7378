import { queryOptions } from '@tanstack/react-query';
import type { Client } from '../../src/client/client.ts';
import { record } from '../session/queries.ts';

export function topSignals({ signals }: Client) {
  return record(['signals', 'top'], (call) =>
    signals.list({ sort: 'priority', state: 'new', limit: 5 }, call).page(),
  );
}

export function creditOfOpportunity({ attribution }: Client, opportunityId: string) {
  return record(['attribution', 'opportunity', opportunityId], (call) =>
    attribution.list({ opportunity_id: opportunityId, limit: 100 }, call).page(),
  );
}

export function signalPerformance({ signals }: Client) {
  return record(['signal-performance'], (call) => signals.performance({}, call));
}

export function waitingSuggestions({ matches }: Client) {
  return queryOptions({
    queryKey: ['match-suggestions', 'waiting'],
    queryFn: ({ signal }) => matches.suggestions({ limit: 100 }, { signal }).page(),
  });
}
