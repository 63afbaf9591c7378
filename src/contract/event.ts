import { Type } from 'typebox';
import {
  type EventKind,
  eventKinds,
  eventKindTable,
  type WebhookEvent,
  webhookEvents,
} from '../vocabulary.ts';
import { AttributionSchema } from './attribution.ts';
import { exampleCursor, Meta, page } from './envelope.ts';
import { SignalSchema } from './signal.ts';
import { id, moment, text } from './values/field.ts';

const dataSchemas = { signal: SignalSchema, attribution: AttributionSchema };
const timestamp = moment('When it happened.', '2026-02-25T06:13:20.417Z');

/** `data` is passed on as it was stored, so it needs no schema here. */
const EventSchema = Type.Object(
  { id: id('event'), event: Type.Unsafe<EventKind>({ type: 'string' }), data: Type.Unknown(), timestamp },
  { title: 'Event' },
);

/** Events as the feed returns them. */
export const eventSchemas = {
  SignalEvent: eventSchema('SignalEvent', 'signal'),
  AttributionEvent: eventSchema('AttributionEvent', 'attribution'),
};

export const EventListSchema = Type.Object(
  {
    data: Type.Array(EventSchema),
    meta: Meta,
    ...page,
    resume_cursor: text(
      'Pass it as `cursor` later to continue from here. No event is skipped. After a restore from a backup, some events can repeat.',
      exampleCursor,
      { pattern: '^cur_' },
    ),
  },
  { description: 'A page of events.' },
);

/** The body of a webhook request; the order of its members is part of the contract. */
export const payloadSchemas = Object.fromEntries(
  webhookEvents.map((kind) => [kind, payloadSchema(kind)]),
) as Record<WebhookEvent, ReturnType<typeof payloadSchema>>;

function eventSchema(title: string, of: keyof typeof dataSchemas) {
  const kinds = eventKinds.filter((kind) => eventKindTable[kind].of === of);
  const event = Type.Enum(kinds, { description: 'What happened.' });
  return Type.Object(
    { id: id('event'), event, data: dataSchemas[of], timestamp },
    { title, description: 'Something that happened; data is the resource as it was then.' },
  );
}

function payloadSchema(kind: WebhookEvent) {
  const title = `${kind.replace(/(^|\.)\w/g, (start) => start.slice(-1).toUpperCase())}Payload`;
  const data = dataSchemas[eventKindTable[kind].of];
  const signature = text('HMAC-SHA256 of the body without this member.', `sha256=${'0'.repeat(64)}`, {
    pattern: '^sha256=[0-9a-f]{64}$',
  });
  return Type.Object(
    { event: Type.Literal(kind, { description: 'What happened.' }), data, timestamp, signature },
    { title, description: 'Compact JSON with its members in this order.' },
  );
}
