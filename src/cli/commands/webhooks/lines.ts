import type { Delivery, NewWebhook, Webhook } from '../../../client/types.ts';
import { type Column, formatRecord } from '../../terminal/table.ts';
import { utc } from '../../terminal/values.ts';

export const webhookColumns: Column<Webhook>[] = [
  { head: 'ID', value: ({ id }) => id },
  {
    head: 'STATUS',
    value: ({ status }) => status,
    style: ({ status }) => (status === 'enabled' ? 'green' : 'red'),
  },
  { head: 'URL', value: ({ url }) => url, shrink: true },
  { head: 'EVENTS', value: ({ events }) => events.join(', '), shrink: true },
  { head: 'CREATED (UTC)', value: ({ created_at }) => utc(created_at), optional: true },
];

export const deliveryColumns: Column<Delivery>[] = [
  { head: 'ID', value: ({ id }) => id },
  {
    head: 'STATUS',
    value: ({ status }) => status,
    style: ({ status }) => (status === 'failed' ? 'red' : undefined),
  },
  { head: 'ATTEMPTS', value: ({ attempts }) => attempts, right: true },
  { head: 'RESPONSE', value: ({ response_code, error }) => response_code ?? error, shrink: true },
  { head: 'TIME (MS)', value: ({ latency_ms }) => latency_ms, right: true },
  { head: 'LAST ATTEMPT (UTC)', value: ({ attempted_at }) => utc(attempted_at), optional: true },
  { head: 'NEXT ATTEMPT (UTC)', value: ({ next_attempt_at }) => utc(next_attempt_at), optional: true },
  { head: 'EVENT', value: ({ event_id }) => event_id ?? 'test', optional: true },
];

export function webhookLines(webhook: NewWebhook): string {
  return formatRecord([
    ['webhook', webhook.id],
    ['url', webhook.url],
    ['events', webhook.events.join(', ')],
    ['status', [webhook.status, webhook.disabled_reason].filter(Boolean).join(': ')],
    ['created (UTC)', utc(webhook.created_at)],
    ['updated (UTC)', utc(webhook.updated_at)],
    webhook.secret ? ['secret (shown only once)', webhook.secret] : null,
  ]);
}

export function deliveryLines(delivery: Delivery): string {
  return formatRecord([
    ['delivery', delivery.id],
    ['webhook', delivery.webhook_id],
    ['event', delivery.event_id ?? 'test'],
    ['status', delivery.status],
    ['attempts', delivery.attempts],
    ['response status', delivery.response_code],
    ['response body', delivery.response_body],
    ['error', delivery.error],
    ['time', delivery.latency_ms === null ? null : `${delivery.latency_ms} ms`],
    ['last attempt (UTC)', utc(delivery.attempted_at)],
    ['next attempt (UTC)', utc(delivery.next_attempt_at)],
  ]);
}
