import { expect, test } from 'vitest';
import { document, exampleOf, type Response, resolve } from '../api-document.ts';
import { checkConformance } from '../conformance.ts';

const headers = Object.fromEntries(
  ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
    .concat('ratelimit', 'ratelimit-policy', 'etag')
    .map((name) => [name, '1']),
);
const json = { ...headers, 'content-type': 'application/json; charset=utf-8' };

type Body = { data: Record<string, unknown> };
const signal = example('/v1/signals/{signal_id}', 'patch', '200') as Body;
const sent = {
  method: 'PATCH',
  path: '/v1/signals/sig_1',
  headers: { 'x-actor': 'Noor Halvorsen', 'content-type': 'application/json' },
  payload: '{"state":"in_progress"}',
  isJunk: undefined,
};
const answer = { status: 200, headers: json, body: signal, text: JSON.stringify(signal) };

test('an exchange as described passes', () => {
  expect(() => checkConformance(sent, answer)).not.toThrow();
});

test.each<[string, Partial<typeof sent>, object]>([
  ['a status', {}, { status: 201 }],
  ['a field', {}, { body: { ...signal, data: { ...signal.data, colour: 'red' } } }],
  ['a field that is missing', {}, { body: { ...signal, data: { ...signal.data, reasons: undefined } } }],
  [
    'a time without milliseconds',
    {},
    { body: { ...signal, data: { ...signal.data, updated_at: '2026-03-02T09:30:00Z' } } },
  ],
  ['a type of content', {}, { headers: { ...headers, 'content-type': 'text/html' } }],
  ['a header that is missing', {}, { headers: { ...json, etag: undefined } }],
  ['a parameter that was accepted', { path: '/v1/signals/sig_1?colour=red' }, {}],
  ['a header that was accepted', { headers: { 'x-colour': 'red' } as never }, {}],
  ['a field that was accepted', { payload: '{"colour":"red"}' }, {}],
  ['an operation', { path: '/v1/colours' }, {}],
  ['an error', { path: '/v1/colours' }, { status: 404, body: { error: 'no' } }],
  [
    'a code of an error',
    {},
    { status: 409, body: { error: { code: 'sourced_taken', message: '', request_id: '' } } },
  ],
])('%s that the document does not describe is found', (_what, request, response) => {
  expect(() => checkConformance({ ...sent, ...request }, { ...answer, ...response })).toThrow('openapi.json');
});

function example(path: string, method: string, status: string): unknown {
  const { content } = resolve<Response>(document.paths[path]?.[method]?.responses[status] ?? {});
  return exampleOf(content?.['application/json']?.schema ?? {});
}
