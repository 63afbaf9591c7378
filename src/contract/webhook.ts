import { type Static, Type } from 'typebox';
import { strict } from './envelope.ts';
import {
  id,
  integer,
  moment,
  nullableId,
  nullableInteger,
  nullableMoment,
  nullableText,
  text,
} from './field.ts';
import type { DeliveryId, EventId, WebhookId } from './ids.ts';

/** What a webhook can subscribe to; the event feed also carries signal.updated. */
const webhookEvents = ['signal.created', 'attribution.created', 'attribution.updated'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

const Events = Type.Array(Type.Enum([...webhookEvents], { title: 'WebhookEvent', type: 'string' }), {
  minItems: 1,
  maxItems: webhookEvents.length,
  uniqueItems: true,
  description: 'The kinds of event that it gets.',
  examples: [['signal.created', 'attribution.created']],
});
const exampleUrl = 'https://receiver.example/hooks/partner-signals';
const Url = text(
  'An https: URL that is reachable from the internet, without credentials. Ports of other protocols, such as 22 or 25, are refused.',
  exampleUrl,
  { maxLength: 2048, pattern: '^https://' },
);
export const exampleSecret = 'whsec_cGFydG5lci1zaWduYWxzLWV4YW1wbGUtc2VjcmV0IQ==';
const Secret = Type.String({
  minLength: 8,
  maxLength: 256,
  pattern: '^[\\x21-\\x7e]+$',
  description:
    'Printable ASCII without spaces. Absent: one of the form `whsec_…` is made and shown in this answer only.',
});
const Status = Type.Enum(['enabled', 'disabled'], {
  title: 'WebhookStatus',
  description: 'disabled: nothing is sent to it.',
});

export type Webhook = {
  id: WebhookId;
  url: string;
  events: WebhookEvent[];
  status: 'enabled' | 'disabled';
  disabled_reason: string | null;
  created_at: Date;
  updated_at: Date;
};

const fields = {
  id: id('webhook'),
  url: text('Where the events go.', exampleUrl),
  events: Events,
  status: Status,
  disabled_reason: nullableText('Why it is disabled.'),
  created_at: moment('When it was registered.', '2026-02-01T12:00:00.000Z'),
  updated_at: moment('When it last changed.', '2026-02-01T12:00:00.000Z'),
};
export const WebhookSchema = Type.Object(fields, {
  title: 'Webhook',
  description: 'An address that events are sent to.',
});
export const NewWebhookSchema = Type.Object(
  {
    ...fields,
    secret: Type.Optional(text('Only where the service made it, and only in this answer.', exampleSecret)),
  },
  { title: 'NewWebhook' },
);

export const RegisterWebhookSchema = Type.Object(
  { url: Url, events: Events, secret: Type.Optional(Secret) },
  { ...strict, title: 'RegisterWebhook' },
);
export type RegisterWebhook = Static<typeof RegisterWebhookSchema>;

export const ChangeWebhookSchema = Type.Object(
  { url: Type.Optional(Url), events: Type.Optional(Events), status: Type.Optional(Status) },
  { ...strict, minProperties: 1, title: 'ChangeWebhook' },
);
export type ChangeWebhook = Static<typeof ChangeWebhookSchema>;

export const RotateSecretSchema = Type.Object(
  {
    secret: Type.Optional(Secret),
    overlap_seconds: Type.Optional(
      integer('So long both secrets sign.', 86_400, { minimum: 0, maximum: 30 * 86_400, default: 86_400 }),
    ),
  },
  { ...strict, title: 'RotateWebhookSecret' },
);

export const EmptySchema = Type.Object({}, { ...strict, title: 'Empty', description: 'Takes no fields.' });

const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type Delivery = {
  id: DeliveryId;
  webhook_id: WebhookId;
  event_id: EventId | null;
  status: (typeof deliveryStatuses)[number];
  attempts: number;
  next_attempt_at: Date | null;
  response_code: number | null;
  response_body: string | null;
  error: string | null;
  latency_ms: number | null;
  created_at: Date;
  attempted_at: Date | null;
};

export const DeliverySchema = Type.Object(
  {
    id: id('delivery'),
    webhook_id: id('webhook'),
    event_id: nullableId('event', 'The event; null for a test.'),
    status: Type.Enum([...deliveryStatuses], {
      description: 'failed: given up, after the last retry or because the webhook was disabled.',
    }),
    attempts: integer('Requests made so far.', 1),
    next_attempt_at: nullableMoment(
      'When the next request is due; null: none is.',
      '2026-02-25T06:13:26.000Z',
    ),
    response_code: nullableInteger('The status of the last answer.', 503),
    response_body: nullableText('The first 1 KiB of the last answer.', 'try again later'),
    error: nullableText('What went wrong at the last attempt.', 'the receiver answered 503'),
    latency_ms: nullableInteger('How long the last attempt took.', 84),
    created_at: moment('When it was queued.', '2026-02-25T06:13:20.000Z'),
    attempted_at: nullableMoment('When the last attempt was made.', '2026-02-25T06:13:21.000Z'),
  },
  { title: 'Delivery', description: 'One event on its way to one webhook.' },
);
/** A delivery that has not been tried yet. */
export const queuedDelivery = {
  attempts: 0,
  next_attempt_at: '2026-02-25T06:13:20.000Z',
  response_code: null,
  response_body: null,
  error: null,
  latency_ms: null,
  attempted_at: null,
};

const span = (description: string, example: string) =>
  Type.String({ format: 'date-time', description, examples: [example] });
export const RedeliverSchema = Type.Object(
  {
    since: span('Events from this moment on.', '2026-02-25T00:00:00Z'),
    until: span('Events before this moment.', '2026-02-26T00:00:00Z'),
    only: Type.Enum(['failed', 'missed', 'all'], {
      description:
        'failed: deliveries that failed for good. missed: these, and events from a time when the webhook was disabled. all: every event it subscribes to.',
    }),
  },
  { ...strict, title: 'RedeliverEvents' },
);
export type Redeliver = Static<typeof RedeliverSchema>;
export const RedeliveredSchema = Type.Object(
  { queued: integer('Deliveries that were queued.', 3) },
  { title: 'Redelivered' },
);
