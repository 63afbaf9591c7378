import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../src/client/verify-webhook.ts';

type Vector = { name: string; valid: boolean; secret: string; body: string } & Record<string, string>;
const vectors: Vector[] = JSON.parse(readFileSync('docs/webhooks/vectors.json', 'utf8'));
const [good] = vectors.filter(({ valid }) => valid) as [Vector];

const headersOf = (vector: Vector) => ({
  'webhook-id': vector['webhook-id'] ?? '',
  'webhook-timestamp': vector['webhook-timestamp'] ?? '',
  'webhook-signature': vector['webhook-signature'] ?? '',
});
const timeOf = (vector: Vector) => new Date(Number(vector['webhook-timestamp']) * 1000);
const refused = (call: Promise<unknown>) => expect(call).rejects.toBeInstanceOf(WebhookVerificationError);

describe.each(vectors)('$name', (vector) => {
  test(vector.valid ? 'is taken, as text and as bytes' : 'is refused, as text and as bytes', async () => {
    for (const body of [vector.body, new TextEncoder().encode(vector.body)]) {
      const verdict = verifyWebhook(body, vector.secret);
      if (vector.valid) expect(await verdict).toEqual(JSON.parse(vector.body));
      else await refused(verdict);
    }
  });
});

test('the type of what happened gives the type of what it happened to', async () => {
  const payload = await verifyWebhook(good.body, good.secret);
  expect(payload.event === 'signal.created' && payload.data.recommended_action).toMatch(/Zephyr Cloud/);
});

test('one of several secrets is enough, as in a rotation', async () => {
  await verifyWebhook(good.body, ['another-secret', good.secret]);
  await refused(verifyWebhook(good.body, ['another-secret', 'and-another']));
  await refused(verifyWebhook(good.body, []));
});

test('what is not text is refused', () => refused(verifyWebhook(Uint8Array.of(0xff, 0xfe), good.secret)));

describe('with the headers', () => {
  const valid = vectors.filter((vector) => vector.valid && vector['webhook-signature']);

  test.each(valid)('an attempt of just now is taken: $name', async (vector) => {
    const now = timeOf(vector);
    await verifyWebhook(vector.body, vector.secret, { headers: headersOf(vector), now });
    await verifyWebhook(vector.body, vector.secret, { headers: new Headers(headersOf(vector)), now });
  });

  test('one that the public library signed is taken', async () => {
    const secret = 'whsec_L4gun7/F7ojOFw6vx7qy7v1qR/nV9j4jrGsKqkC3JE0=';
    const vector = vectors.find((one) => one.valid && one.secret === secret) as Vector;
    const now = new Date();
    const headers = {
      'Webhook-Id': 'evt_1',
      'Webhook-Timestamp': String(Math.floor(now.getTime() / 1000)),
      'Webhook-Signature': `v1,AAAA ${new Webhook(secret).sign('evt_1', now, vector.body)}`,
    };
    await verifyWebhook(vector.body, secret, { headers });
  });

  test.each([
    ['is too old', { 'webhook-timestamp': '1772000064' }, new Date((1_772_000_064 + 301) * 1000)],
    ['comes from the future', { 'webhook-timestamp': '1772000064' }, new Date((1_772_000_064 - 301) * 1000)],
    ['names another time', { 'webhook-timestamp': '1772000065' }, undefined],
    ['names another event', { 'webhook-id': 'evt_other' }, undefined],
    ['has no time', { 'webhook-timestamp': undefined }, undefined],
    ['has no signature', { 'webhook-signature': undefined }, undefined],
    ['has a signature that is no base64', { 'webhook-signature': 'v1,***' }, undefined],
  ])('one that %s is refused', (_name, changed, now = timeOf(good)) =>
    refused(verifyWebhook(good.body, good.secret, { headers: { ...headersOf(good), ...changed }, now })),
  );
});
