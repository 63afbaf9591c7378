import { type Static, Type } from 'typebox';
import {
  deliveryStatuses,
  redeliverChoices,
  secretOverlap,
  webhookEvents,
  webhookStatuses,
} from '../vocabulary.ts';
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
} from './values/field.ts';

const Events = Type.Array(Type.Enum(webhookEvents, { title: 'WebhookEvent', type: 'string' }), {
  minItems: 1,
  maxItems: webhookEvents.length,
  uniqueItems: true,
  description: 'Kinds of event to deliver.',
  examples: [['signal.created', 'attribution.created']],
});
const exampleUrl = 'https://receiver.example/hooks/partner-signals';
const Url = text(
  'HTTPS URL of your receiver; must be reachable from the internet and contain no credentials. Ports of other protocols, such as 22 or 25, are rejected, and so are incoming webhooks of Slack, Discord and Microsoft Teams, which accept only their own messages.',
  exampleUrl,
  { maxLength: 2048, pattern: '^https://[^/?#]' },
);
export const exampleSecret = 'whsec_cGFydG5lci1zaWduYWxzLWV4YW1wbGUtc2VjcmV0IQ==';
const Secret = Type.String({
  minLength: 8,
  maxLength: 256,
  pattern: '^[\\x21-\\x7e]+$',
  description:
    'Printable ASCII without spaces. If absent, the service generates a secret of the form `whsec_…` and shows it only in this response.',
});
const Status = Type.Enum([...webhookStatuses], {
  title: 'WebhookStatus',
  description: 'disabled: nothing is delivered.',
});

const fields = {
  id: id('webhook'),
  url: text('URL that events are delivered to.', exampleUrl),
  events: Events,
  status: Status,
  disabled_reason: nullableText('Why it is disabled.'),
  created_at: moment('When it was registered.', '2026-02-01T12:00:00.000Z'),
  updated_at: moment('When it last changed.', '2026-02-01T12:00:00.000Z'),
};
export const WebhookSchema = Type.Object(fields, {
  title: 'Webhook',
  description: 'A URL that events are delivered to.',
});
export type Webhook = Static<typeof WebhookSchema>;
export const NewWebhookSchema = Type.Object(
  {
    ...fields,
    secret: Type.Optional(
      text('Present only if the service generated it, and only in this response.', exampleSecret),
    ),
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
      integer('For how many seconds the old secret stays valid.', secretOverlap.default, {
        minimum: 0,
        maximum: secretOverlap.most,
        default: secretOverlap.default,
      }),
    ),
  },
  { ...strict, title: 'RotateWebhookSecret' },
);

export const EmptySchema = Type.Object({}, { ...strict, title: 'Empty', description: 'No fields.' });

export const DeliverySchema = Type.Object(
  {
    id: id('delivery'),
    webhook_id: id('webhook'),
    event_id: nullableId('event', 'The event; null for a test.'),
    status: Type.Enum([...deliveryStatuses], {
      description:
        'failed: no more retries, either because the last one failed or because the webhook was disabled.',
    }),
    attempts: integer('Attempts made so far.', 1),
    next_attempt_at: nullableMoment(
      'When the next attempt is due; null if none is.',
      '2026-02-25T06:13:26.000Z',
    ),
    response_code: nullableInteger('Status code of the last response.', 503),
    response_body: nullableText('First 1 KiB of the last response.', 'try again later'),
    error: nullableText('What went wrong in the last attempt.', 'the receiver answered 503'),
    latency_ms: nullableInteger('How long the last attempt took.', 84),
    created_at: moment('When the delivery was queued.', '2026-02-25T06:13:20.000Z'),
    attempted_at: nullableMoment('When the last attempt was made.', '2026-02-25T06:13:21.000Z'),
  },
  { title: 'Delivery', description: 'The delivery of one event to one webhook.' },
);
export type Delivery = Static<typeof DeliverySchema>;
/** A delivery before its first attempt. */
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
    since: span('Events from this time on.', '2026-02-25T00:00:00Z'),
    until: span('Events before this time.', '2026-02-26T00:00:00Z'),
    only: Type.Enum(redeliverChoices, {
      description:
        'failed: deliveries that failed permanently. missed: the failed ones, plus events from a time when the webhook was disabled. all: every event that the webhook subscribes to.',
    }),
  },
  { ...strict, title: 'RedeliverEvents' },
);
export type Redeliver = Static<typeof RedeliverSchema>;
export const RedeliveredSchema = Type.Object(
  { queued: integer('Number of deliveries queued.', 3) },
  { title: 'Redelivered' },
);
