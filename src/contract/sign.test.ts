import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { generateSecret, signedBody, standardHeaders, unsignedBody } from './sign.ts';

type Vector = {
  name: string;
  valid: boolean;
  secret: string;
  new_secret?: string;
  body: string;
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

const file = new URL('../../docs/webhooks/vectors.json', import.meta.url);
const vectors: Vector[] = JSON.parse(await readFile(file, 'utf8'));
const tail = /,"signature":"sha256=[0-9a-f]{64}"\}$/;

describe('the published vectors, which another implementation made', () => {
  test.each(vectors.filter(({ valid }) => valid))('$name', (vector) => {
    expect(signedBody(vector.body.replace(tail, '}'), vector.secret)).toBe(vector.body);
    expect(headersOf(vector)).toEqual(publishedHeaders(vector));
  });

  test.each(vectors.filter(({ valid }) => !valid))('not ours: $name', (vector) => {
    expect(signedBody(vector.body.replace(tail, '}'), vector.secret)).not.toBe(vector.body);
    expect(headersOf(vector)).not.toEqual(publishedHeaders(vector));
  });
});

test('the body is compact JSON with event, data, timestamp and signature in that order', () => {
  const unsigned = unsignedBody('signal.created', { id: 'sig_1', value: 1.5 }, '2026-02-25T06:13:20.417Z');
  expect(unsigned).toBe(
    '{"event":"signal.created","data":{"id":"sig_1","value":1.5},"timestamp":"2026-02-25T06:13:20.417Z"}',
  );
  expect(Object.keys(JSON.parse(signedBody(unsigned, 'a-secret')))).toEqual([
    'event',
    'data',
    'timestamp',
    'signature',
  ]);
});

test('cutting the signature out gives back the unsigned body exactly, whatever the data holds', () => {
  const lookalike = signedBody(unsignedBody('signal.created', {}, '2026-02-25T06:13:20.417Z'), 'a-secret');
  const digest = `sha256=${'0'.repeat(64)}`;
  const strings = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      lookalike,
      lookalike.slice(-87),
      digest,
      `,"signature":"${digest}"}`,
      'signature',
      '\ud800',
    ),
  );
  const data = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      strings,
      fc.double(),
      fc.constantFrom(null, true, 1e21, -0, { signature: digest }),
      fc.array(tie('value')),
      fc.dictionary(strings, tie('value')),
    ),
  })).value;
  fc.assert(
    fc.property(data, strings.map(JSON.stringify), (data, secret) => {
      const unsigned = unsignedBody('attribution.updated', data, '2026-02-25T06:13:20.417Z');
      const signed = signedBody(unsigned, secret);
      expect(signed.replace(tail, '}')).toBe(unsigned);
      expect(`${signed.slice(0, -87)}}`).toBe(unsigned);
      expect(JSON.parse(signed).signature).toBe(signed.slice(-73, -2));
    }),
  );
});

test('the standard headers are those of the standardwebhooks library', () => {
  const whsec = fc
    .uint8Array({ minLength: 3, maxLength: 64 })
    .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
  const raw = fc.stringMatching(/^[\x21-\x7e]{8,64}$/).filter((secret) => !secret.startsWith('whsec_'));
  const key = fc.oneof(
    whsec.map((secret) => ({ secret, library: new Webhook(secret) })),
    whsec
      .map((padded) => padded.replaceAll('=', ''))
      .map((secret) => ({ secret, library: new Webhook(secret) })),
    raw.map((secret) => ({ secret, library: new Webhook(secret, { format: 'raw' }) })),
  );
  fc.assert(
    fc.property(fc.array(key, { minLength: 1, maxLength: 2 }), fc.json(), (keys, data) => {
      const now = new Date();
      const secrets = keys.map(({ secret }) => secret);
      const body = signedBody(unsignedBody('signal.created', data, now.toISOString()), 'a-secret');
      const headers = standardHeaders({ id: 'evt_1', body, secrets, now });
      for (const { library } of keys) {
        expect(library.verify(body, headers)).toEqual(JSON.parse(body));
        expect(() => library.verify(body.replace('signal', 'Signal'), headers)).toThrow(
          'No matching signature',
        );
        expect(() => library.verify(body, { ...headers, 'webhook-id': 'evt_2' })).toThrow(
          'No matching signature',
        );
      }
    }),
  );
});

test.each([
  'whsec_',
  'whsec_A',
  'whsec_AAAAA',
  'whsec_AAAA=',
  'whsec_AA=',
  'whsec_AA-_',
  'whsec_AAAA\n',
  'AAAA',
])('a secret that is not whsec_ and base64 is the key as it stands: %j', (secret) => {
  const now = new Date();
  const headers = standardHeaders({ id: 'evt_1', body: '{}', secrets: [secret], now });
  expect(new Webhook(secret, { format: 'raw' }).verify('{}', headers)).toEqual({});
});

test('a generated secret is whsec_ and 32 bytes of base64, and never the same twice', () => {
  const secrets = Array.from({ length: 100 }, generateSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});

function headersOf(vector: Vector) {
  return standardHeaders({
    id: vector['webhook-id'],
    body: vector.body,
    secrets: vector.new_secret ? [vector.secret, vector.new_secret] : [vector.secret],
    now: new Date(Number(vector['webhook-timestamp']) * 1000 + 999),
  });
}

function publishedHeaders(vector: Vector) {
  return {
    'webhook-id': vector['webhook-id'],
    'webhook-timestamp': vector['webhook-timestamp'],
    'webhook-signature': vector['webhook-signature'],
  };
}
