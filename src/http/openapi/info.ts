import { limitsInWords } from '../../contract/organization.ts';
import { anonymousPerMinute, pageLimits, plans } from '../../vocabulary.ts';
import { version } from '../server/version.ts';
import { errorTable } from './errors.ts';

export const info = {
  title: 'Partner Signals',
  version,
  summary: 'Which partner can help on which deal, who is credited when it closes, and why.',
  description: `Shows which partner can help on which deal, credits the partner when the deal closes, and explains why.

## Three planes

- \`/v1\`, the client API for your integrations: requires an API key with the scope \`read\`, \`write\` or \`admin\`.
- \`/ingest/v1\`, for pipelines that load CRM and partner data: requires an API key with the scope \`ingest\`.
- \`/admin/v1\`, for the operator of the service: requires an operator key.

## Authentication

Send the key in the \`Authorization: Bearer <key>\` header, over HTTPS only. A request over plain HTTP is rejected with
\`https_required\`, and its key is marked as exposed. A key belongs to one organization and cannot see any other.
\`write\` includes \`read\`, and \`admin\` includes both.

## Envelopes

- One resource: \`{ "data": …, "meta": { "request_id", "timestamp" } }\`.
- A list: \`{ "data": [ … ], "meta": …, "has_more", "next_cursor" }\`; \`next_cursor\` is absent on the last page.
- An error: \`{ "error": { "code", "message", "request_id", "details" } }\`.

Timestamps are ISO 8601 in UTC, with milliseconds. Identifiers are opaque: if one is unknown, malformed or belongs to
another organization, it is \`not_found\` in a path and matches nothing in a filter. Text is Unicode without NUL characters
(U+0000). Every path that supports GET supports HEAD. Unknown parameters and fields are rejected. Responses can gain new
fields at any time; ignore the ones you do not know.

## Paging

\`limit\` defaults to ${pageLimits.default}; the maximum is ${pageLimits.most}. To get the next page, pass \`next_cursor\` as \`cursor\` with the same filters. A row
that matches throughout and keeps its position is returned exactly once, whatever else changes meanwhile. If a priority changes
between two pages of a list sorted by priority, that signal can appear twice or not at all.

## Limits

Each organization has rate limits per UTC minute and day, set by its plan:

${plans.map((plan) => `- ${limitsInWords(plan)}`).join('\n')}

Ingest has a separate quota of the same size. Requests without a valid key count against the client's IP address,
${anonymousPerMinute} a minute. The headers of every response show what is left. Every request with a valid key
counts, also if it fails with 400, 403 or 404; one that is refused because a limit is used up does not.

## Idempotency

Every POST accepts an \`Idempotency-Key\`: for 24 hours, the same key with the same body returns the first response again,
with the header \`Idempotency-Replayed: true\`. You can repeat a PUT or DELETE without harm; a repeated
PUT of the settings fails with 412, because the first one changed the ETag. A PATCH of a signal adds to its history each time; use
\`If-Match\` to apply it only once.

## Errors

${errorTable()}`,
  // The service is self-hosted, so no address is right for every installation.
  contact: { name: 'The operator of this installation' },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** The document is the same on every host: the first server is relative to where it was loaded from. */
export const servers = [
  { url: '/', description: 'The service that serves this document' },
  {
    url: 'https://{host}:{port}',
    description: 'Any installation',
    variables: {
      host: { default: 'localhost', description: 'Host name.' },
      port: { default: '8443', description: 'Port.' },
    },
  },
];

export const tags = [
  { name: 'Signals', description: 'Read the signals and record what happened to each of them.' },
  { name: 'Partners', description: 'Partners, their activity, and the accounts you share with them.' },
  { name: 'Accounts', description: 'The accounts and deals loaded from your CRM.' },
  { name: 'Matches', description: 'Review which companies are the same, and correct matches.' },
  {
    name: 'Attribution',
    description: 'Who is credited for which won deal, the evidence, and disputes.',
  },
  { name: 'Webhooks', description: 'Event deliveries to your receiver, and the event feed.' },
  { name: 'Settings', description: 'The settings of your own organization.' },
  { name: 'Keys', description: 'What your key can do.' },
  { name: 'Ingest', description: 'Load data from your CRM and your partners.' },
  { name: 'Operator', description: 'Organizations, API keys, settings, and the audit log.' },
  { name: 'Service', description: 'Health checks and this document.' },
];

export const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'psk_…',
    description: 'An API key of an organization. Each operation states the scope it requires.',
  },
  operatorKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An operator key, for `/admin/v1` only.',
  },
} as const;
