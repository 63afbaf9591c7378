import { type Static, Type } from 'typebox';
import { NullableText, NullableTimestamp, PageQuery, strict, Timestamp } from './envelope.ts';
import type { DeliveryId, EventId, WebhookId } from './ids.ts';

/** What a webhook can subscribe to; the event feed also carries signal.updated. */
const webhookEvents = ['signal.created', 'attribution.created', 'attribution.updated'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

const Events = Type.Array(Type.Enum([...webhookEvents]), {
  minItems: 1,
  maxItems: webhookEvents.length,
  uniqueItems: true,
});
const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'An https: address that is reachable from the internet.',
});
const Secret = Type.String({
  minLength: 8,
  maxLength: 256,
  pattern: '^[\\x21-\\x7e]+$',
  description:
    'Printable ASCII without spaces. Absent: one of the form whsec_… is made and shown in this answer only.',
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
  id: Type.String(),
  url: Type.String(),
  events: Events,
  status: Type.Enum(['enabled', 'disabled']),
  disabled_reason: NullableText,
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const WebhookSchema = Type.Object(fields);
export const NewWebhookSchema = Type.Object({
  ...fields,
  secret: Type.Optional(
    Type.String({ description: 'Only where the service made it, and only in this answer.' }),
  ),
});

export const RegisterWebhookSchema = Type.Object(
  { url: Url, events: Events, secret: Type.Optional(Secret) },
  strict,
);
export type RegisterWebhook = Static<typeof RegisterWebhookSchema>;

export const ChangeWebhookSchema = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    status: Type.Optional(Type.Enum(['enabled', 'disabled'])),
  },
  { ...strict, minProperties: 1 },
);
export type ChangeWebhook = Static<typeof ChangeWebhookSchema>;

export const RotateSecretSchema = Type.Object(
  {
    secret: Type.Optional(Secret),
    overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 30 * 86_400, default: 86_400 })),
  },
  strict,
);

export const EmptySchema = Type.Object({}, strict);

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

const NullableInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] });
export const DeliverySchema = Type.Object({
  id: Type.String(),
  webhook_id: Type.String(),
  event_id: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'null for a test.' }),
  status: Type.Enum([...deliveryStatuses], {
    description: 'failed: given up, after the last retry or because the webhook was disabled.',
  }),
  attempts: Type.Integer(),
  next_attempt_at: NullableTimestamp,
  response_code: NullableInteger,
  response_body: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'The first 1 KiB.' }),
  error: NullableText,
  latency_ms: NullableInteger,
  created_at: Timestamp,
  attempted_at: NullableTimestamp,
});

const Moment = (description: string) => Type.String({ format: 'date-time', description });
export const RedeliverSchema = Type.Object(
  {
    since: Moment('Events from this moment on.'),
    until: Moment('Events before this moment.'),
    only: Type.Enum(['failed', 'missed', 'all'], {
      description:
        'failed: given up. missed: of a time when the webhook was disabled. all: every event it subscribes to.',
    }),
  },
  strict,
);
export type Redeliver = Static<typeof RedeliverSchema>;

const EventSchema = Type.Object({
  id: Type.String(),
  event: Type.String({
    description: 'signal.created, signal.updated, attribution.created or attribution.updated',
  }),
  data: Type.Unknown({ description: 'The resource as it was, in the shape of a list item.' }),
  timestamp: Timestamp,
});
export const EventListSchema = Type.Object({
  data: Type.Array(EventSchema),
  meta: Type.Object({ request_id: Type.String(), timestamp: Timestamp }),
  has_more: Type.Boolean(),
  next_cursor: Type.Optional(Type.String()),
  resume_cursor: Type.String({
    description: 'Continue from here at any later time; no event is skipped, however late it commits.',
  }),
});
export const EventQuerySchema = Type.Object(PageQuery, strict);
