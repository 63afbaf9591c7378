import { payloadSchemas } from '../../contract/event.ts';
import { signedBody, standardHeaders, unsignedBody } from '../../contract/sign.ts';
import { exampleId } from '../../contract/values/field.ts';
import { exampleSecret } from '../../contract/webhook.ts';
import { retryScheduleInWords, type WebhookEvent, webhookEvents } from '../../vocabulary.ts';
import { exampleOf } from './examples.ts';
import type { Document, Operation, Parameter, Schema } from './parts.ts';

const attemptedAt = new Date(1_772_000_001_000);
type Payload = { event: string; data: unknown; timestamp: string };
/** Does not compile if a kind is missing. */
const kinds = {
  'signal.created': {
    operationId: 'onSignalCreated',
    summary: 'A signal fired',
    description: 'Sent when a signal fires. `data` is the signal as listed by `GET /v1/signals`.',
  },
  'attribution.created': {
    operationId: 'onAttributionCreated',
    summary: 'A partner was credited',
    description:
      'Sent when a partner is credited for a won deal. `data` is the record as listed by `GET /v1/attribution`.',
  },
  'attribution.updated': {
    operationId: 'onAttributionUpdated',
    summary: 'A credit changed',
    description:
      'Sent when an attribution record or one of its disputes changes. `data` is the record as listed by `GET /v1/attribution`.',
  },
} satisfies Record<WebhookEvent, { operationId: string; summary: string; description: string }>;

const verification = `Events are delivered at least once, in no particular order: store each \`webhook-id\` and ignore repeats. Verify the
signature over the **raw** body in one of two ways:

- With the headers and any [Standard Webhooks](https://www.standardwebhooks.com) library.
- With the body alone: remove \`,"signature":"sha256=…"\` from its end, which leaves \`{"event":…,"data":…,"timestamp":…}\`.
  Compute the HMAC-SHA256 of these bytes with the secret (in UTF-8) as the key, and compare it with the hexadecimal digits.

The example, written as compact JSON, is signed with the secret \`${exampleSecret}\`.`;

/** The requests that the service sends, from the receiver's point of view. */
export function webhooks(): NonNullable<Document['webhooks']> {
  return Object.fromEntries(
    webhookEvents.map((kind) => {
      const { operationId, summary, description } = kinds[kind];
      const schema = payloadSchemas[kind] as unknown as Schema;
      const example = signed(exampleOf(schema) as Payload);
      const operation: Operation = {
        operationId,
        summary,
        description: `${description}\n\n${verification}`,
        tags: ['Webhooks'],
        security: [],
        parameters: headersOf(JSON.stringify(example)),
        requestBody: { required: true, content: { 'application/json': { schema, example } } },
        responses: {
          '2XX': {
            description:
              'Received. Any other status, including a redirect, and no response within 15 s count as failures.',
          },
          '410': { description: 'Gone: the webhook is disabled immediately.' },
          default: {
            description: `Failed: retried after ${retryScheduleInWords()}. A Retry-After header can delay a retry by up to the length of the following step.`,
          },
        },
      };
      return [kind, { post: operation }];
    }),
  );
}

function signed({ event, data, timestamp }: Payload): object {
  return JSON.parse(signedBody(unsignedBody(event, data, timestamp), exampleSecret));
}

function headersOf(body: string): Parameter[] {
  const sent = standardHeaders({ id: exampleId('event'), body, secrets: [exampleSecret], now: attemptedAt });
  const header = (name: string, description: string, example: string, required = true): Parameter => ({
    name,
    in: 'header',
    description,
    required,
    schema: { type: 'string' },
    example,
  });
  return [
    header(
      'webhook-id',
      'Identifies the event (for a test, the delivery). The same for every attempt.',
      sent['webhook-id'],
    ),
    header('webhook-timestamp', 'Time of this attempt, in Unix seconds.', sent['webhook-timestamp']),
    header(
      'webhook-signature',
      '`v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<raw body>`. During a secret rotation there are two, separated by a space. The key is the base64-decoded part after `whsec_`, or the bytes of the secret if it has another form.',
      sent['webhook-signature'],
    ),
    header('X-Webhook-Test', '`true` for a test, otherwise absent.', 'true', false),
  ];
}
