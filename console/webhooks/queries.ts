import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { Client } from '../../src/client/client.ts';
import type { Delivery, List, Webhook } from '../../src/client/types.ts';
import { changeRow, pages, record } from '../session/queries.ts';

export function webhookList({ webhooks }: Client) {
  return pages(['webhooks'], (page, call) => webhooks.list(page, call));
}

export function webhookDetail({ webhooks }: Client, id: string) {
  return record(['webhook', id], (call) => webhooks.get(id, call));
}

export function webhookDeliveries({ webhooks }: Client, id: string) {
  return pages(['webhook', id, 'deliveries'], (page, call) => webhooks.deliveries(id, page, call));
}

export function showWebhook(queries: QueryClient, webhook: Webhook): void {
  queries.setQueryData(['webhook', webhook.id], webhook);
  changeRow<Webhook>(queries, ['webhooks'], webhook.id, webhook);
}

/** Adds a delivery that was just queued to the log, then checks its outcome once. */
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

/** A healthy receiver has answered by then; after that, the log reloads only when somebody refreshes it. */
const outcomeAfterMs = 1_500;

export function showOutcome(queries: QueryClient, webhookId: string): void {
  const queryKey = ['webhook', webhookId, 'deliveries'];
  setTimeout(() => void queries.invalidateQueries({ queryKey }), outcomeAfterMs);
}
