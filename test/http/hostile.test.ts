import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { transaction } from '../../src/store/connection.ts';
import { lockOrganizationFacts } from '../../src/store/organizations.ts';
import { lockDueOrganization } from '../../src/store/pairs.ts';
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

  test('on a body that is nested too deeply to be written again is 400', async () => {
    const raw = '['.repeat(200_000) + ']'.repeat(200_000);
    const answer = await org.call('POST', '/ingest/v1/partners', {
      raw,
      headers: { 'idempotency-key': 'deep' },
    });
    expect(answer).toMatchObject({ status: 400, body: { error: { details: [{ field: 'body' }] } } });
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

test('a change that would wait long for a batch of its own organization is told to come back, and gives its place to others', async () => {
  const { org: busy, signals } = await organizationWithOverlaps(service, 1);
  await transaction(service.pool, async (tx) => {
    await tx.query('select from signals where org_id = $1 for update', [busy.orgId]);
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

test('what is due is looked at again while a batch of another organization goes on', async () => {
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
  await transaction(service.pool, async (busy) => {
    await lockOrganizationFacts(busy, first as OrganizationId);
    expect(await transaction(service.pool, lockDueOrganization)).toBe(second);
  });
  expect(await transaction(service.pool, lockDueOrganization)).toBe(first);
});
