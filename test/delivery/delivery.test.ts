import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';
import { type Received, type Receiver, startReceiver } from '../receiver.ts';

let receiver: Receiver;
let service: TestService;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: receiver.caFile });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const secret = 'a-secret-of-the-tests';
const at = (path: string) => receiver.received.filter((one) => one.path === path);

test('an event of a committed cause arrives, signed, at every webhook that subscribes to it', async () => {
  const org = await service.organization();
  const made = await org.call('POST', '/v1/webhooks', {
    body: { url: `${receiver.url}/signed`, events: ['signal.created'], secret },
  });
  expect(made.status).toBe(201);
  expect(made.body.data).not.toHaveProperty('secret');
  await org.call('POST', '/ingest/v1/partners', {
    body: [{ external_id: 'p1', name: 'Partner', type: 'gsi', tier: 1 }],
  });
  await org.call('POST', '/ingest/v1/accounts', {
    body: [{ crm_id: 'a1', name: 'Account', domain: 'a1.example' }],
  });
  await org.call('POST', '/ingest/v1/partner_accounts', {
    body: [
      {
        partner_external_id: 'p1',
        external_id: 'x',
        name: 'Account',
        domain: 'a1.example',
        relationship: 'customer',
      },
    ],
  });
  await expect.poll(() => at('/signed').length).toBe(1);
  const [one] = at('/signed') as [Received];
  const [, unsigned, digest] = /^(.*),"signature":"sha256=([0-9a-f]{64})"}$/s.exec(one.body) ?? [];
  expect(createHmac('sha256', secret).update(`${unsigned}}`).digest('hex')).toBe(digest);
  new Webhook(secret, { format: 'raw' }).verify(one.body, one.headers as Record<string, string>);
  expect(JSON.parse(one.body)).toMatchObject({
    event: 'signal.created',
    data: { type: 'overlap', account: { crm_id: 'a1' } },
  });
  expect(Object.keys(JSON.parse(one.body))).toEqual(['event', 'data', 'timestamp', 'signature']);
  await expect
    .poll(async () => (await org.get(`/v1/webhooks/${made.body.data.id}/deliveries`)).body.data)
    .toMatchObject([{ status: 'delivered', attempts: 1, response_code: 200 }]);
  const feed = (await org.get('/v1/events')).body.data;
  expect(feed.map((event: { id: string }) => event.id)).toContain(one.headers['webhook-id']);
});
