import { type TSchema, Type } from 'typebox';
import { AttributionSchema } from './attribution.ts';
import { exampleCursor, Meta, PageQuery, page, strict } from './envelope.ts';
import { id, moment, text } from './field.ts';
import { SignalSchema } from './signal.ts';
import type { WebhookEvent } from './webhook.ts';

const timestamp = moment('When it happened.', '2026-02-25T06:13:20.417Z');

/** `data` is passed on as it was written, unread: the service needs no schema of it. */
const EventSchema = Type.Object(
  { id: id('event'), event: Type.String(), data: Type.Unknown(), timestamp },
  { title: 'Event' },
);

/** What an event is to its reader. */
export const eventSchemas = {
  SignalEvent: eventSchema('SignalEvent', ['signal.created', 'signal.updated'], SignalSchema),
  AttributionEvent: eventSchema(
    'AttributionEvent',
    ['attribution.created', 'attribution.updated'],
    AttributionSchema,
  ),
};

export const EventListSchema = Type.Object(
  {
    data: Type.Array(EventSchema),
    meta: Meta,
    ...page,
    resume_cursor: text(
      'Continue from here at any later time. No event is skipped; after the service was restored from a backup, some can come again.',
      exampleCursor,
      { pattern: '^cur_' },
    ),
  },
  { description: 'A page of events.' },
);
export const EventQuerySchema = Type.Object(PageQuery, strict);

/** The body of a webhook's request; the order of its members is part of the contract. */
export const payloadSchemas = {
  'signal.created': payloadSchema('SignalCreatedPayload', 'signal.created', SignalSchema),
  'attribution.created': payloadSchema('AttributionCreatedPayload', 'attribution.created', AttributionSchema),
  'attribution.updated': payloadSchema('AttributionUpdatedPayload', 'attribution.updated', AttributionSchema),
};

function eventSchema(title: string, events: string[], data: TSchema) {
  const event = Type.Enum(events, { description: 'What happened.' });
  return Type.Object(
    { id: id('event'), event, data, timestamp },
    { title, description: 'Something that happened; data is the resource as it was then.' },
  );
}

function payloadSchema(title: string, kind: WebhookEvent, data: TSchema) {
  const signature = text('HMAC-SHA256 of the body without this member.', `sha256=${'0'.repeat(64)}`, {
    pattern: '^sha256=[0-9a-f]{64}$',
  });
  return Type.Object(
    { event: Type.Literal(kind, { description: 'What happened.' }), data, timestamp, signature },
    { title, description: 'The members come in this order, as compact JSON.' },
  );
}
