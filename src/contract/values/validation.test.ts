import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fieldErrors } from './validation.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document, of which this reads a few fields
type Json = Record<string, any>;
const document: Json = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));

/** Every pattern in the parameters and bodies of requests. */
function* patternsIn(value: unknown, seen: Set<unknown>): Generator<string> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  const { $ref, pattern } = value as Json;
  if (typeof $ref === 'string') {
    const names = $ref.slice(2).split('/');
    yield* patternsIn(
      names.reduce<Json | undefined>((found, name) => found?.[name], document),
      seen,
    );
  }
  if (typeof pattern === 'string') yield pattern;
  for (const member of Object.values(value)) yield* patternsIn(member, seen);
}

test('no message shows a regular expression: what each pattern of a request means is said in words', () => {
  const requests = Object.values<Json>(document.paths).flatMap((path) =>
    Object.values<Json>(path).flatMap(({ parameters, requestBody }) => [parameters, requestBody]),
  );
  const patterns = [...new Set(patternsIn(requests, new Set()))];
  expect(patterns.length).toBeGreaterThan(4);
  for (const pattern of patterns) {
    const [detail] = fieldErrors(
      [{ keyword: 'pattern', params: { pattern }, instancePath: '/owner/email' }],
      'body',
    );
    expect(detail?.message, pattern).toMatch(/^must [a-z ]+/);
    expect(detail?.message).not.toContain(pattern);
  }
});
