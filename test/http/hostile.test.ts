import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { checkNow } from '../due-work.ts';
import { loadFacts, organizationWithOverlaps, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

/** What one organization can do to the process that it shares with others. */
let service: TestService;
let org: TestOrganization;
beforeAll(async () => {
  // Without the background's own steps, which would be faster than the test.
  service = await startTestService({ ROLE: 'api' });
  org = await service.organization();
});
afterAll(() => service.close());

describe('an Idempotency-Key', () => {
  test('on a path that is longer than an index can hold is 404, each time', async () => {
    const path = `/v1/deliveries/${'0123456789abcdef'.repeat(500)}/redeliver`;
    for (const _ of [1, 2]) {
      const answer = await org.call('POST', path, { headers: { 'idempotency-key': 'long' } });
      expect(answer.status, answer.text).toBe(404);
    }
  });

  test('on a body that is nested too deeply to be written again is a bad row or 400, as without it', async () => {
    const raw = '['.repeat(200_000) + ']'.repeat(200_000);
    const headers = { 'idempotency-key': 'deep' };
    const batch = await org.call('POST', '/ingest/v1/partners', { raw, headers });
    expect(batch.body.data).toMatchObject({ received: 1, errors: [{ index: 0, code: 'invalid_type' }] });
    const webhook = await org.call('POST', '/v1/webhooks', { raw: `{"url":${raw}}`, headers });
    expect(webhook).toMatchObject({ status: 400, body: { error: { details: [{ field: 'url' }] } } });
  });
});

test('names that folding makes very long can be paged through', async () => {
  const other = await service.organization();
  await loadFacts(other, {
    partners: ['a', 'b', 'c'].map((name) => ({ name: `${name}${'ﷺ'.repeat(499)}` })),
  });
  const walked: string[] = [];
  for (let cursor = ''; ; ) {
    const { status, text, body } = await other.get(`/v1/partners?limit=1${cursor}`);
    expect(status, text).toBe(200);
    walked.push(body.data[0].name[0]);
    if (!body.has_more) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(walked).toEqual(['a', 'b', 'c']);
});

test('a change that would wait long for a batch of its own organization gets a 503, and frees its connection', async () => {
  const { org: busy, signals } = await organizationWithOverlaps(service, 1);
  await service.db.write(busy.orgId as OrganizationId, async (tx) => {
    await tx.query({ text: 'select from signals where org_id = $1 for update', values: [busy.orgId] });
    const waiting = Array.from({ length: 12 }, () =>
      busy.call('PATCH', `/v1/signals/${signals[0]?.id}`, { body: { state: 'handled' } }),
    );
    expect((await org.get('/v1/signals')).status).toBe(200);
    for (const answer of await Promise.all(waiting)) {
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    }
  });
  expect((await readAll<{ state: string }>(busy, '/v1/signals')).map(({ state }) => state)).toEqual(['new']);
});

test('due work runs while a batch of another organization is in progress', async () => {
  const organizations = [
    await organizationWithOverlaps(service, 1),
    await organizationWithOverlaps(service, 1),
  ];
  const [first, second] = organizations.map(({ org }) => org.orgId as OrganizationId);
  for (const [id, hours] of [
    [first, 2],
    [second, 1],
  ]) {
    await service.pool.query(
      `insert into rechecks (org_id, account_id, partner_id, due_at)
       select org_id, account_id, partner_id, now() - make_interval(hours => $2) from matches where org_id = $1
       on conflict (org_id, account_id, partner_id) do update set due_at = excluded.due_at`,
      [id, hours],
    );
  }
  const rechecks = async (id: string | undefined) =>
    (await service.pool.query('select count(*) from rechecks where org_id = $1', [id])).rows[0].count;
  const worker = await service.db.facts(first as OrganizationId, async () => {
    const started = await startTestService({ ROLE: 'worker' }, service.databaseUrl);
    await checkNow(service.pool);
    await expect.poll(() => rechecks(second)).toBe(0);
    expect(await rechecks(first)).toBe(1);
    return started;
  });
  await expect.poll(() => rechecks(first)).toBe(0);
  await worker.close();
});

describe('what is far too much', () => {
  test('in a field is refused before all of it is checked', async () => {
    const events = Array.from({ length: 60_000 }, (_, index) => index);
    const register = await org.call('POST', '/v1/webhooks', { body: { url: 'https://x.example', events } });
    expect(register.body.error.details).toMatchObject([{ field: 'events', code: 'too_long' }]);

    const fields = Object.fromEntries(events.map((index) => [`f${index}`, 1]));
    const change = await org.call('PATCH', '/v1/signals/sig_x', { body: fields });
    expect(change.body.error.details).toMatchObject([{ field: 'body', code: 'too_long' }]);

    const row = { crm_id: 'a1', name: 'Dale', extra_domains: events.map(() => '') };
    const load = await org.call('POST', '/ingest/v1/accounts', { body: [row, { ...row, ...fields }] });
    expect(load.body.data).toMatchObject({
      rejected: 2,
      errors: [
        { index: 0, field: 'extra_domains', code: 'too_long' },
        { index: 1, field: 'body', code: 'too_long' },
      ],
    });
  });

  test('is wrong is counted, and listed up to a bound', async () => {
    const unknown = Object.fromEntries(['u', 'v', 'w', 'x', 'y', 'z'].map((name) => [name, 1]));
    const rows = Array.from({ length: 5_000 }, () => unknown);
    const { data } = (await org.call('POST', '/ingest/v1/partners', { body: rows })).body;
    expect(data).toMatchObject({ received: 5_000, rejected: 5_000 });
    expect(data.errors).toHaveLength(10_000);
  });

  test('of a stream is not held until its thousandth line', async () => {
    const other = await service.organization();
    const sent = request(`${service.url}/ingest/v1/partners`, {
      method: 'POST',
      ca: service.ca,
      headers: { authorization: `Bearer ${other.key}`, 'content-type': 'application/x-ndjson' },
    });
    const answered = new Promise((resolve) =>
      sent.once('response', (answer) => resolve(answer.resume().statusCode)),
    );
    for (let i = 0; i < 80; i++) {
      const row = { external_id: `p${i}`, name: `Partner ${i}`, type: 'gsi', tier: 1 };
      sent.write(`${JSON.stringify(row)}${' '.repeat(60_000)}\n`);
    }
    await expect.poll(async () => (await readAll(other, '/v1/partners')).length).toBeGreaterThan(50);
    sent.end();
    expect(await answered).toBe(200);
  });

  test('of a host name is refused: it cannot be told in a handshake', async () => {
    const url = `https://${`${'a'.repeat(60)}.`.repeat(5)}com/`;
    const answer = await org.call('POST', '/v1/webhooks', { body: { url, events: ['signal.created'] } });
    expect(answer.body.error.details).toMatchObject([{ field: 'url', code: 'invalid_value' }]);
  });
});

test('a stream of lines is for ingest alone', async () => {
  const answer = await org.call('POST', '/v1/webhooks', {
    raw: '{}\n',
    headers: { 'content-type': 'application/x-ndjson' },
  });
  expect(answer).toMatchObject({ status: 415, body: { error: { code: 'unsupported_media_type' } } });
});
