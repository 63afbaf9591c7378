import { createHmac } from 'node:crypto';
import { payloadSchemas } from '../../contract/event.ts';
import { exampleId } from '../../contract/field.ts';
import { exampleSecret, type WebhookEvent } from '../../contract/webhook.ts';
import { exampleOf } from './examples.ts';
import type { Document, Operation, Parameter, Schema } from './parts.ts';

const attemptedAt = '1772000001';
const kinds: { kind: WebhookEvent; operationId: string; summary: string; description: string }[] = [
  {
    kind: 'signal.created',
    operationId: 'onSignalCreated',
    summary: 'A signal fired',
    description: 'Sent when a signal fires; `data` is the signal as `GET /v1/signals` lists it.',
  },
  {
    kind: 'attribution.created',
    operationId: 'onAttributionCreated',
    summary: 'A partner was credited',
    description:
      'Sent when a partner is credited with a won deal; `data` is the record as `GET /v1/attribution` lists it.',
  },
  {
    kind: 'attribution.updated',
    operationId: 'onAttributionUpdated',
    summary: 'A credit changed',
    description:
      'Sent when an attribution record changes, its disputes included; `data` is the record as `GET /v1/attribution` lists it.',
  },
];

const verification = `Delivered at least once and in no order: keep the \`webhook-id\` and ignore what you have seen. Check the signature
over the **raw** body, in one of two ways:

- The headers, with any library of [Standard Webhooks](https://www.standardwebhooks.com).
- The body alone: cut \`,"signature":"sha256=…"\` from its end, so that \`{"event":…,"data":…,"timestamp":…}\` is left, and
  compare the HMAC-SHA256 of these bytes, keyed with the secret in UTF-8, with the hexadecimal digits.

The example, as compact JSON, is signed with the secret \`${exampleSecret}\`.`;

/** What the service sends, as seen by the receiver. */
export function webhooks(): NonNullable<Document['webhooks']> {
  return Object.fromEntries(
    kinds.map(({ kind, operationId, summary, description }) => {
      const schema = payloadSchemas[kind] as unknown as Schema;
      const example = sign(exampleOf(schema) as { signature: string });
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
              'Received. Anything else, a redirect included, and no answer within 15 s are failures.',
          },
          '410': { description: 'Not wanted any more: the webhook is disabled at once.' },
          default: {
            description:
              'A failure: tried again after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 5 h, 10 h, 14 h and 20 h. Retry-After is honoured up to the next of these steps.',
          },
        },
      };
      return [kind, { post: operation }];
    }),
  );
}

function sign({ signature: _, ...unsigned }: { signature: string }): object {
  const digest = createHmac('sha256', exampleSecret).update(JSON.stringify(unsigned)).digest('hex');
  return { ...unsigned, signature: `sha256=${digest}` };
}

function headersOf(body: string): Parameter[] {
  const key = Buffer.from(exampleSecret.replace('whsec_', ''), 'base64');
  const content = `${exampleId('event')}.${attemptedAt}.${body}`;
  const signature = createHmac('sha256', key).update(content).digest('base64');
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
      'Identifies the event (of a test the delivery); the same at every attempt.',
      exampleId('event'),
    ),
    header('webhook-timestamp', 'When this attempt was made, in Unix seconds.', attemptedAt),
    header(
      'webhook-signature',
      '`v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<raw body>`; two of them, with a space between, while a rotation lasts. The key is the base64-decoded rest of a secret of the form `whsec_…`, else the bytes of the secret.',
      `v1,${signature}`,
    ),
    header('X-Webhook-Test', '`true` on a test, else absent.', 'true', false),
  ];
}
