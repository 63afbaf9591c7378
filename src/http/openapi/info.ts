import { errorTable } from './errors.ts';

export const info = {
  title: 'Partner Signals',
  version: '1.0.0',
  summary: 'Which partner can help on which deal, who is credited when it closes, and why.',
  description: `Tells a company which partner can help on which deal, credits the partner when the deal closes, and shows why.

## Three planes

- \`/v1\`, the client API, for the integrations of an organization: an API key with the scope \`read\`, \`write\` or \`admin\`.
- \`/ingest/v1\`, for pipelines of CRM and partner data: an API key with the scope \`ingest\`.
- \`/admin/v1\`, for whoever runs the service: an operator key.

## Authentication

Send the key in the header \`Authorization: Bearer <key>\`, over HTTPS only: a request over plain HTTP gets
\`https_required\` and its key counts as exposed. A key belongs to one organization and sees nothing of any other.
\`write\` includes \`read\`, and \`admin\` includes both.

## Envelopes

- One resource: \`{ "data": …, "meta": { "request_id", "timestamp" } }\`.
- A list: \`{ "data": [ … ], "meta": …, "has_more", "next_cursor" }\`; \`next_cursor\` is absent on the last page.
- An error: \`{ "error": { "code", "message", "request_id", "details" } }\`.

Timestamps are ISO 8601 in UTC, with milliseconds. Identifiers are opaque: one that is unknown, malformed or another
organization's is \`not_found\` in a path, and matches nothing in a filter. Text is Unicode without NUL characters
(U+0000). Every GET can be asked by HEAD. Unknown
parameters and fields are refused; expect new fields in answers, and ignore those that you do not know.

## Paging

\`limit\` is 25 unless told otherwise, 100 at most. Pass \`next_cursor\` on as \`cursor\`, with the same filters. A row that
matches for the whole walk and keeps its place in the order comes exactly once, whatever changes meanwhile.

## Limits

Per organization, in fixed UTC minutes and days: the plan \`standard\` has 60 a minute and 10,000 a day, \`enterprise\` 300 and
100,000. Ingest has the same numbers once more for itself. A request without a valid key counts against its address,
60 a minute. Every answer says in its headers what is left; a refused request costs nothing.

## Idempotency

Every POST takes an \`Idempotency-Key\`: for 24 hours the same key with the same body gets the first answer again, with the
header \`Idempotency-Replayed: true\`. A PUT or DELETE can be repeated as it is. A PATCH of a
signal adds to its history each time; \`If-Match\` makes it take effect once.

## Errors

${errorTable()}`,
  // It runs where somebody installed it: that is who can help, and no address holds for all of them.
  contact: { name: 'Whoever runs this installation' },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** The same text on every host: the first is wherever the document came from. */
export const servers = [
  { url: '/', description: 'The service that this document came from' },
  {
    url: 'https://{host}:{port}',
    description: 'Any installation',
    variables: {
      host: { default: 'localhost', description: 'Its name.' },
      port: { default: '8443', description: 'Its port.' },
    },
  },
];

export const tags = [
  { name: 'Signals', description: 'The feed of signals: read it, and say what became of each.' },
  { name: 'Partners', description: 'Partners, what they do, and which accounts they share with you.' },
  {
    name: 'Attribution',
    description: 'Who is credited with which won deal, on what evidence, and disputes.',
  },
  { name: 'Webhooks', description: 'Events sent to an address of yours, their deliveries, and the feed.' },
  { name: 'Ingest', description: 'Facts from your CRM and from partners.' },
  { name: 'Operator', description: 'Organizations, their keys and settings, and the audit.' },
  { name: 'Service', description: 'Whether the service is up, and this document.' },
];

export const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'psk_…',
    description: 'An API key of an organization. An operation names the scope that it needs.',
  },
  operatorKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The key of an operator, for `/admin/v1`; never one of an organization.',
  },
} as const;
