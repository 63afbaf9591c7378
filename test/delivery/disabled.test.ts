import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, type OrganizationId, type WebhookId } from '../../src/contract/ids.ts';
import { addDeliveries, insertTestDelivery } from '../../src/store/delivery/deliveries.ts';
import { insertEvents } from '../../src/store/delivery/events.ts';
import { lockSubscribers } from '../../src/store/delivery/webhooks.ts';
import { asTx, checkNow, waitingForLocks } from '../due-work.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true' });
});
afterAll(() => service.close());

/** Nobody listens there, and what was attempted waits for its next attempt. */
async function subscribed(): Promise<{ org: TestOrganization; orgId: OrganizationId; id: WebhookId }> {
  const org = await service.organization();
  const made = await org.call('POST', '/v1/webhooks', {
    body: { url: 'https://127.0.0.1:9443/', events: ['signal.created'] },
  });
  return { org, orgId: org.orgId as OrganizationId, id: made.body.data.id };
}

test('what a cause writes for a webhook that is disabled before it commits is given up, not pending for ever', async () => {
  const { org, orgId, id } = await subscribed();
  const event_id = newId('evt');
  await service.db.write(orgId, async (cause) => {
    await insertEvents(cause, orgId, [{ id: event_id, kind: 'signal.created', data: {} }], true);
    expect(await lockSubscribers(cause, orgId, 'signal.created')).toEqual([id]);
    addDeliveries(cause, orgId, [{ id: newId('dlv'), webhook_id: id, event_id }]);
    const disabled = await org.call('PATCH', `/v1/webhooks/${id}`, { body: { status: 'disabled' } });
    expect(disabled.body.data.status).toBe('disabled');
  });
  await expect
    .poll(async () => (await org.get(`/v1/webhooks/${id}/deliveries`)).body.data)
    .toMatchObject([
      { event_id, status: 'failed', next_attempt_at: null, error: 'the webhook was disabled' },
    ]);

  await org.call('PATCH', `/v1/webhooks/${id}`, { body: { status: 'enabled' } });
  const again = await org.call('POST', `/v1/webhooks/${id}/redeliver`, {
    body: { since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z', only: 'failed' },
  });
  expect(again.body.data).toEqual({ queued: 1 });
});

test('so is a test that was queued while the webhook was being disabled', async () => {
  const { org, orgId, id } = await subscribed();
  const asked = await service.pool.connect();
  await asked.query('begin');
  await insertTestDelivery(asTx(asked, orgId), orgId, newId('dlv'), id, '{}');
  await org.call('PATCH', `/v1/webhooks/${id}`, { body: { status: 'disabled' } });
  await asked.query('commit');
  asked.release();
  await checkNow(service.pool, { orgId });
  await expect
    .poll(async () => (await org.get(`/v1/webhooks/${id}/deliveries`)).body.data)
    .toMatchObject([{ event_id: null, status: 'failed' }]);
});

test('a webhook that is deleted while a cause writes for it takes what was written with it', async () => {
  const { org, orgId, id } = await subscribed();
  const event_id = newId('evt');
  const deleted = await service.db.write(orgId, async (cause) => {
    await insertEvents(cause, orgId, [{ id: event_id, kind: 'signal.created', data: {} }], true);
    await lockSubscribers(cause, orgId, 'signal.created');
    const answer = org.call('DELETE', `/v1/webhooks/${id}`);
    // The deletion waits for the cause.
    await expect.poll(() => waitingForLocks(service.pool)).toBeGreaterThan(0);
    addDeliveries(cause, orgId, [{ id: newId('dlv'), webhook_id: id, event_id }]);
    return { answer };
  });
  expect((await deleted.answer).status).toBe(204);
  const { rowCount } = await service.pool.query('select from deliveries where webhook_id = $1', [id]);
  expect(rowCount).toBe(0);
});

test('a backlog of any length is given up when its webhook is disabled', async () => {
  const { org, orgId, id } = await subscribed();
  await service.pool.query(
    `insert into deliveries (org_id, id, webhook_id, test_body, status, next_attempt_at, created_at)
     select $1, 'dlv_' || n, $2, '{}', 'pending', now() + interval '1 hour', now() from generate_series(1, 3000) n`,
    [orgId, id],
  );
  await org.call('PATCH', `/v1/webhooks/${id}`, { body: { status: 'disabled' } });
  const count = async () => {
    const { rows } = await service.pool.query(
      'select status, count(*) from deliveries where webhook_id = $1 group by 1',
      [id],
    );
    return rows;
  };
  await expect.poll(count).toEqual([{ status: 'failed', count: 3_000 }]);
});
