import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/contract/ids.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { insertPartners } from '../rows.ts';

let service: TestService;
let org: TestOrganization;

beforeAll(async () => {
  service = await startTestService();
  org = await service.organization();
  await insertPartners(service.pool, org.orgId, [
    { name: 'Zephyr Cloud', type: 'hyperscaler', tier: 1 },
    { name: 'alder Systems', type: 'gsi', tier: 2 },
    { name: 'Éclair Software', type: 'technology_partner', tier: 2 },
    { name: 'Birch & Co', type: 'gsi', tier: 4 },
    { name: 'birch & co', type: 'solution_provider', tier: 3 },
  ]);
});
afterAll(() => service.close());

const names = (answer: { body: { data: { name: string }[] } }) =>
  answer.body.data.map((partner) => partner.name);

describe('GET /v1/partners', () => {
  test('lists by name as a person sorts, whatever case and accents', async () => {
    const answer = await org.get('/v1/partners');
    expect(answer.status).toBe(200);
    expect(names(answer).map((name) => name.toLowerCase())).toEqual([
      'alder systems',
      'birch & co',
      'birch & co',
      'éclair software',
      'zephyr cloud',
    ]);
    expect(answer.body).toEqual({
      data: expect.any(Array),
      meta: {
        request_id: expect.stringMatching(/^req_[0-9a-z]{26}$/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
      has_more: false,
    });
    expect(Object.keys(answer.body.data[0])).toEqual(['id', 'name', 'type', 'tier']);
    expect(answer.headers['x-request-id']).toBe(answer.body.meta.request_id);
  });

  test('filters by type, by tier and by both', async () => {
    expect(names(await org.get('/v1/partners?type=gsi'))).toEqual(['alder Systems', 'Birch & Co']);
    expect(names(await org.get('/v1/partners?tier=2'))).toEqual(['alder Systems', 'Éclair Software']);
    expect(names(await org.get('/v1/partners?type=gsi&tier=4'))).toEqual(['Birch & Co']);
    expect(names(await org.get('/v1/partners?type=hyperscaler&tier=4'))).toEqual([]);
  });

  test('pages through everything exactly once, ties included', async () => {
    const seen: string[] = [];
    let path = '/v1/partners?limit=2';
    for (let pages = 0; pages < 10; pages++) {
      const { body } = await org.get(path);
      seen.push(...body.data.map((partner: { id: string }) => partner.id));
      if (!body.has_more) {
        expect(body).not.toHaveProperty('next_cursor');
        break;
      }
      expect(body.next_cursor).toMatch(/^cur_/);
      path = `/v1/partners?limit=2&cursor=${body.next_cursor}`;
    }
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
  });

  test('a page that ends exactly at the last row has no more', async () => {
    const { body } = await org.get('/v1/partners?limit=5');
    expect(body.has_more).toBe(false);
    expect(body).not.toHaveProperty('next_cursor');
  });

  test.each(['0', '101', '-1', '1.5', 'abc', '', '1e1', '0x10', '%205', '99999999999999999999'])(
    'limit=%s is 400 and names it',
    async (limit) => {
      const answer = await org.get(`/v1/partners?limit=${limit}`);
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatchObject({ code: 'invalid_request', details: [{ field: 'limit' }] });
    },
  );

  test('every bad parameter is named at once', async () => {
    const answer = await org.get('/v1/partners?limit=0&tier=9&type=friend&typo=1&tier2=1');
    expect(answer.body.error.details.map((detail: { field: string }) => detail.field).sort()).toEqual([
      'limit',
      'tier',
      'tier2',
      'type',
      'typo',
    ]);
  });

  test('a parameter given twice is 400, not a choice', async () => {
    expect((await org.get('/v1/partners?tier=1&tier=2')).body.error.details).toMatchObject([
      { field: 'tier' },
    ]);
  });
});

describe('GET /v1/partners/{partner_id}', () => {
  test('answers the partner in full', async () => {
    const [first] = (await org.get('/v1/partners')).body.data;
    const answer = await org.get(`/v1/partners/${first.id}`);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      ...first,
      domain: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
  });

  test.each([
    'prt_',
    'nope',
    'prt_01h455vb4pex5vsknk084sn02q',
    newId('org'),
    '%00',
    '..%2f',
    'a'.repeat(500),
    "'; drop table partners; --",
  ])('404 for %s, which is unknown or no identifier at all', async (id) => {
    const answer = await org.get(`/v1/partners/${encodeURI(id)}`);
    expect(answer.status).toBe(404);
    expect(answer.body.error.code).toBe('not_found');
  });
});

describe('another organization', () => {
  test('sees none of these partners and gets 404 for their ids', async () => {
    const other = await service.organization();
    const [first] = (await org.get('/v1/partners')).body.data;
    expect((await other.get('/v1/partners')).body.data).toEqual([]);
    expect((await other.get(`/v1/partners/${first.id}`)).status).toBe(404);
  });

  test('cannot use a cursor of this one', async () => {
    const other = await service.organization();
    const { next_cursor } = (await org.get('/v1/partners?limit=1')).body;
    const answer = await other.get(`/v1/partners?limit=1&cursor=${next_cursor}`);
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe('invalid_cursor');
  });
});
