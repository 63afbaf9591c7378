import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import type { Client } from '../../src/client/client.ts';
import type { Pages } from '../../src/client/pages.ts';
import type {
  AttributionSummaryQuery,
  Delivery,
  Dispute,
  List,
  PartnerQuery,
  Signal,
  SignalDetail,
  SignalQuery,
  Tagged,
  Webhook,
} from '../../src/client/types.ts';

export function signalSummary({ signals }: Client) {
  return queryOptions({
    queryKey: ['signal-summary'],
    queryFn: async ({ signal }) => (await signals.summary({ signal })).data,
  });
}

export function signalFeed({ signals }: Client, filters: SignalQuery) {
  return pages(['signals', filters], (page, call) => signals.list({ ...filters, ...page }, call));
}

export function signalDetail({ signals }: Client, id: string) {
  return queryOptions({
    queryKey: ['signal', id],
    queryFn: ({ signal }) => signals.get(id, { signal }),
  });
}

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

export function webhookList({ webhooks }: Client) {
  return pages(['webhooks'], (page, call) => webhooks.list(page, call));
}

export function webhookDetail({ webhooks }: Client, id: string) {
  return queryOptions({
    queryKey: ['webhook', id],
    queryFn: async ({ signal }) => (await webhooks.get(id, { signal })).data,
  });
}

export function webhookDeliveries({ webhooks }: Client, id: string) {
  return pages(['webhook', id, 'deliveries'], (page, call) => webhooks.deliveries(id, page, call));
}

/**
 * Puts a changed signal where it is shown. It stays in a feed whose filter it no longer matches, until that is read
 * anew: a row that vanishes under the pointer would make the next click hit another.
 */
export function showChange(queries: QueryClient, changed: Tagged<SignalDetail>): void {
  const { id, state } = changed.data;
  queries.setQueryData(['signal', id], changed);
  changeRow<Signal>(queries, ['signals'], id, { state });
  void queries.invalidateQueries({ queryKey: ['signal-summary'] });
  void queries.invalidateQueries({ queryKey: ['partner', changed.data.partner.id], exact: true });
}

/** What is not on the screen is read when it is next shown. An accepted dispute can move other records of the deal. */
export function showDispute(queries: QueryClient, { record_id, status }: Dispute): void {
  const moved = status === 'accepted';
  void queries.invalidateQueries({ queryKey: ['attribution-record', ...(moved ? [] : [record_id])] });
  void queries.invalidateQueries({ queryKey: ['attribution'] });
  if (moved) void queries.invalidateQueries({ queryKey: ['attribution-summary'] });
}

export function showWebhook(queries: QueryClient, webhook: Webhook): void {
  queries.setQueryData(['webhook', webhook.id], webhook);
  changeRow<Webhook>(queries, ['webhooks'], webhook.id, webhook);
}

/** Puts a delivery that was just queued into the log, and looks once at what came of it. */
export function showDelivery(queries: QueryClient, delivery: Delivery): void {
  const queryKey = ['webhook', delivery.webhook_id, 'deliveries'];
  changeRow<Delivery>(queries, queryKey, delivery.id, delivery);
  queries.setQueryData<InfiniteData<List<Delivery>>>(queryKey, (log) => {
    const [first, ...rest] = log?.pages ?? [];
    if (!log || !first || log.pages.some(({ data }) => data.some(({ id }) => id === delivery.id))) return log;
    return { ...log, pages: [{ ...first, data: [delivery, ...first.data] }, ...rest] };
  });
  showOutcome(queries, delivery.webhook_id);
}

/** A receiver that is well has answered by then; further looks are only taken when somebody asks for them. */
const outcomeAfterMs = 1_500;

export function showOutcome(queries: QueryClient, webhookId: string): void {
  const queryKey = ['webhook', webhookId, 'deliveries'];
  setTimeout(() => void queries.invalidateQueries({ queryKey }), outcomeAfterMs);
}

function changeRow<T extends { id: string }>(
  queries: QueryClient,
  queryKey: readonly unknown[],
  id: string,
  change: Partial<T>,
): void {
  queries.setQueriesData<InfiniteData<List<T>>>({ queryKey }, (list) =>
    list
      ? {
          ...list,
          pages: list.pages.map((page) => ({
            ...page,
            data: page.data.map((row) => (row.id === id ? { ...row, ...change } : row)),
          })),
        }
      : list,
  );
}

type Read<T> = (page: { cursor: string | undefined }, call: { signal: AbortSignal }) => Pages<List<T>>;

function pages<T>(queryKey: readonly unknown[], read: Read<T>) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read({ cursor: pageParam }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor,
  });
}
