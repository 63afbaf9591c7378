import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EventId, newId, type OrganizationId } from '../../src/contract/ids.ts';
import type { Delivery } from '../../src/contract/webhook.ts';
import { addDeliveries, deleteOldDeliveries } from '../../src/store/delivery/deliveries.ts';
import { deleteOldEvents, insertEvents } from '../../src/store/delivery/events.ts';
import { example } from '../api-document.ts';
import { type ListedSignal, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  // Without a worker: nothing is sent, and old rows are deleted only when a test says so.
  service = await startTestService({ ROLE: 'api' });
});
afterAll(() => service.close());

type Event = { id: EventId; event: string; data: Record<string, unknown>; timestamp: string };
type Page = { data: Event[]; has_more: boolean; next_cursor?: string; resume_cursor: string };

const allKinds = ['signal.created', 'attribution.created', 'attribution.updated'];

async function page(org: TestOrganization, query = ''): Promise<Page> {
  const answer = await org.get(`/v1/events?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

const feedOf = (org: TestOrganization) => readAll<Event>(org, '/v1/events');

/** Creates one signal per account, each in its own transaction. */
async function fire(org: TestOrganization, crmIds: string[], options = {}): Promise<void> {
  for (const crm_id of crmIds) {
    await loadFacts(
      org,
      { partners: [{}], accounts: [{ crm_id }], partner_accounts: [{ domain: `${crm_id}.example` }] },
      options,
    );
  }
}

async function register(org: TestOrganization): Promise<string> {
  const body = { url: 'https://receiver.invalid', events: allKinds };
  return (await org.call('POST', '/v1/webhooks', { body })).body.data.id;
}

describe('an event', () => {
  test('has the resource as it was then, in the shape of a list item; webhooks get all but signal.updated', async () => {
    const org = await service.organization();
    const webhookId = await register(org);
    await fire(org, ['a1']);
    const [fired] = (await readAll(org, '/v1/signals')) as [ListedSignal];
    await org.call('PATCH', `/v1/signals/${fired.id}`, { body: { state: 'in_progress' } });
    const [taken] = await readAll(org, '/v1/signals');
    await loadFacts(org, { activities: [{}], opportunities: [{ status: 'won' }] });
    const records = await readAll<{ id: string }>(org, '/v1/attribution');
    const [credited] = records as [{ id: string }];
    const dispute = { claimed_tier: 'sourced', justification: 'We brought them in.' };
    await org.call('POST', `/v1/attribution/${credited.id}/disputes`, { body: dispute });
    const [disputed] = await readAll(org, '/v1/attribution');
    expect(records).toHaveLength(1);

    const feed = await feedOf(org);
    for (const event of feed) {
      expect(Object.keys(event)).toEqual(['id', 'event', 'data', 'timestamp']);
      expect(event.id).toMatch(/^evt_[0-9a-z]{26}$/);
      expect(event.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    expect(feed.slice(0, 2).map(({ event, data }) => [event, data])).toEqual([
      ['signal.created', fired],
      ['signal.updated', taken],
    ]);
    const about = feed.filter((event) => event.data.id === credited.id);
    expect(about.map((event) => event.event)).toEqual(['attribution.created', 'attribution.updated']);
    expect(about.map((event) => event.data)).toEqual([credited, disputed]);

    const sent = await readAll<Delivery>(org, `/v1/webhooks/${webhookId}/deliveries`);
    const subscribed = feed.filter((event) => allKinds.includes(event.event));
    expect(subscribed.length).toBeLessThan(feed.length);
    expect(sent.map((delivery) => delivery.event_id).sort()).toEqual(subscribed.map(({ id }) => id).sort());
  });

  test('of a backfill is in the feed and delivered to nobody', async () => {
    const org = await service.organization();
    const webhookId = await register(org);
    await fire(org, ['a1'], { backfill: true });
    const won = { activities: [{}], opportunities: [{ status: 'won' as const }] };
    await loadFacts(org, won, { backfill: true });
    expect((await feedOf(org)).map(({ event }) => event)).toEqual(
      expect.arrayContaining(['signal.created', 'attribution.created']),
    );
    expect(await readAll(org, `/v1/webhooks/${webhookId}/deliveries`)).toEqual([]);
  });
});

describe('the feed', () => {
  test('has the oldest first, and its pages are the whole', async () => {
    const org = await service.organization();
    await fire(org, ['a1', 'a2', 'a3', 'a4', 'a5']);
    const feed = await feedOf(org);
    expect(feed.map(({ data }) => (data as ListedSignal).account.crm_id)).toEqual([
      'a1',
      'a2',
      'a3',
      'a4',
      'a5',
    ]);
    expect(feed.map((event) => event.timestamp)).toEqual(feed.map((event) => event.timestamp).sort());
    const first = await page(org, 'limit=2');
    const second = await page(org, `limit=2&cursor=${first.next_cursor}`);
    const third = await page(org, `limit=2&cursor=${second.next_cursor}`);
    expect([first, second, third].map(({ has_more }) => has_more)).toEqual([true, true, false]);
    expect(third).not.toHaveProperty('next_cursor');
    expect([...first.data, ...second.data, ...third.data]).toEqual(feed);
    expect((await page(org, 'limit=5')).has_more).toBe(false);
  });

  test('can be continued from every page: a full one, the last, an empty one, and that of an empty feed', async () => {
    const org = await service.organization();
    const none = await page(org);
    expect(none).toMatchObject({ data: [], has_more: false, resume_cursor: expect.stringMatching(/^cur_/) });
    expect(none).not.toHaveProperty('next_cursor');
    await fire(org, ['a1', 'a2', 'a3']);
    const feed = await feedOf(org);
    const from = async ({ resume_cursor }: Page, query = '') => page(org, `cursor=${resume_cursor}${query}`);
    const full = await from(none, '&limit=2');
    const last = await from(full, '&limit=2');
    const empty = await from(last);
    expect([full.data, last.data, empty.data]).toEqual([feed.slice(0, 2), feed.slice(2), []]);
    await fire(org, ['a4']);
    const [, , , late] = await feedOf(org);
    expect((await from(empty)).data).toEqual([late]);
    expect((await from(await from(empty))).data).toEqual([]);
    expect((await from(last)).data).toEqual([late]);
    expect((await from(full)).data).toEqual([feed[2], late]);
    expect((await from(none)).data).toEqual([...feed, late]);
  });

  test('refuses what is not its cursor, another limit and an unknown parameter', async () => {
    const [org, stranger] = [await service.organization(), await service.organization()];
    await fire(org, ['a1', 'a2']);
    const { next_cursor, resume_cursor } = await page(org, 'limit=1');
    for (const cursor of [next_cursor, resume_cursor]) {
      const answer = await stranger.get(`/v1/events?cursor=${cursor}`);
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_cursor']);
    }
    const signals = (await org.get('/v1/signals?limit=1')).body.next_cursor;
    for (const cursor of [signals, resume_cursor.slice(0, -2), 'cur_', '', 'x']) {
      expect((await org.get(`/v1/events?cursor=${cursor}`)).body.error.code).toBe('invalid_cursor');
    }
    expect((await org.get(`/v1/signals?cursor=${resume_cursor}`)).body.error.code).toBe('invalid_cursor');
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'event=signal.created']) {
      expect((await org.get(`/v1/events?${query}`)).body.error).toMatchObject({
        code: 'invalid_request',
        details: [{ field: query.split('=')[0] }],
      });
    }
    expect((await page(stranger)).data).toEqual([]);
  });
});

describe('after 30 days', () => {
  const day = 86_400_000;
  const minute = 60_000;
  const ago = (ms: number) => new Date(Date.now() - ms);

  /** This many events of that age, each with a delivery. */
  async function age(org: TestOrganization, webhookId: string, count: number, ms: number): Promise<string[]> {
    const orgId = org.orgId as OrganizationId;
    const ids = Array.from({ length: count }, () => newId('evt'));
    await service.db.write(orgId, async (tx) => {
      const events = ids.map((id) => ({ id, kind: 'signal.created' as const, data: example('Signal') }));
      await insertEvents(tx, orgId, events, true);
      const deliveries = ids.map((event_id) => ({
        id: newId('dlv'),
        webhook_id: webhookId as `whk_${string}`,
        event_id,
      }));
      addDeliveries(tx, orgId, deliveries);
      for (const [table, key] of [
        ['events', 'id'],
        ['deliveries', 'event_id'],
      ])
        await tx.query({
          text: `update ${table} set created_at = $3 where org_id = $1 and ${key} = any($2)`,
          values: [orgId, ids, ago(ms)],
        });
    });
    return ids;
  }

  async function left(
    table: 'events' | 'event_numbers' | 'deliveries',
    org: TestOrganization,
  ): Promise<number> {
    const { rows } = await service.pool.query(`select count(*)::int from ${table} where org_id = $1`, [
      org.orgId,
    ]);
    return rows[0].count;
  }

  test('events go in small steps with their deliveries, newer ones stay, and a cursor behind them goes on', async () => {
    const org = await service.organization();
    const webhookId = await register(org);
    await age(org, webhookId, 10, 31 * day);
    const early = await page(org);
    await age(org, webhookId, 691, 30 * day + minute);
    const young = await age(org, webhookId, 3, 30 * day - minute);
    expect([await left('events', org), await left('deliveries', org)]).toEqual([704, 704]);
    expect(await deleteOldEvents(service.pool, org.orgId as OrganizationId)).toBe(true);
    expect([await left('events', org), await left('deliveries', org)]).toEqual([204, 204]);
    expect(await deleteOldEvents(service.pool, org.orgId as OrganizationId)).toBe(false);
    expect([await left('events', org), await left('deliveries', org)]).toEqual([3, 3]);
    expect(await left('event_numbers', org)).toBe(3);
    expect((await feedOf(org)).map(({ id }) => id)).toEqual(young);
    expect((await page(org, `cursor=${early.resume_cursor}`)).data).toEqual(await feedOf(org));
  });

  test('a cursor goes on with the next event when every event that it knew is gone', async () => {
    const org = await service.organization();
    await age(org, await register(org), 10, 31 * day);
    const { resume_cursor } = await page(org);
    await deleteOldEvents(service.pool, org.orgId as OrganizationId);
    const idle = await page(org, `cursor=${resume_cursor}`);
    expect(idle).toMatchObject({ data: [], has_more: false });
    await fire(org, ['a1', 'a2']);
    const feed = await feedOf(org);
    expect(feed).toHaveLength(2);
    expect((await page(org, `cursor=${resume_cursor}`)).data).toEqual(feed);
    expect((await page(org, `cursor=${idle.resume_cursor}`)).data).toEqual(feed);
  });

  test('deliveries go in small steps, tests among them, even where the event is newer; newer ones stay', async () => {
    const org = await service.organization();
    const webhookId = await register(org);
    await age(org, webhookId, 601, day);
    await org.call('POST', `/v1/webhooks/${webhookId}/test`);
    await org.call('POST', `/v1/webhooks/${webhookId}/test`);
    await service.pool.query(
      `with aged as (select id, row_number() over (partition by event_id is null order by id) as place
         from deliveries where org_id = $1)
       update deliveries d set created_at = case when place = 1 then $2 else $3 end::timestamptz
       from aged where d.org_id = $1 and d.id = aged.id`,
      [org.orgId, ago(30 * day - minute), ago(30 * day + minute)],
    );
    expect(await deleteOldDeliveries(service.pool, org.orgId as OrganizationId)).toBe(true);
    expect(await left('deliveries', org)).toBe(103);
    expect(await deleteOldDeliveries(service.pool, org.orgId as OrganizationId)).toBe(false);
    const rest = await readAll<Delivery>(org, `/v1/webhooks/${webhookId}/deliveries`);
    expect(rest.map(({ event_id }) => typeof event_id).sort()).toEqual(['object', 'string']);
    expect(await left('events', org)).toBe(601);
  });

  test('the service does so in the background', async () => {
    const org = await service.organization();
    const webhookId = await register(org);
    await age(org, webhookId, 600, 31 * day);
    const young = await age(org, webhookId, 1, 29 * day);
    const worker = await startTestService({ ROLE: 'worker' }, service.databaseUrl);
    await expect.poll(() => left('events', org)).toBe(1);
    await worker.close();
    expect((await feedOf(org)).map(({ id }) => id)).toEqual(young);
    expect(await left('deliveries', org)).toBe(1);
  });
});
