import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/contract/ids.ts';
import { loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { everythingOf } from '../ingest/requests.ts';
import { credits, done, inWords, openDispute, recordOf, recordsOf, wonByThree } from './requests.ts';

let service: TestService;
let org: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  org = await service.organization();
  // History, which counts as it is. p1 sources every deal, p2 co-sells the odd ones, p3 influences the last.
  const days = ['2024-03-10', '2024-03-11', '2024-03-11', '2024-03-12', '2024-04-01'];
  await loadFacts(org, {
    partners: [{}, {}, {}],
    accounts: days.map(() => ({})),
    opportunities: days.map((closed_date, i) => ({
      account_crm_id: `a${i + 1}`,
      opened_at: '2024-03-01',
      status: 'won',
      closed_date,
    })),
    activities: days.flatMap((_, i) => {
      const on = (kind: Parameters<typeof done>[0], day: string, partner: string) => ({
        ...done(kind, day, partner),
        external_id: `${partner} ${i}`,
        account_crm_id: `a${i + 1}`,
      });
      return [
        on('referral', '2024-02-20', 'p1'),
        ...(i % 2 === 0 ? [on('joint_meeting', '2024-03-05', 'p2')] : []),
        ...(i === 4 ? [on('content_touch', '2024-03-06', 'p3')] : []),
      ];
    }),
  });
});
afterAll(() => service.close());

const fieldsOf = (details: { field: string }[]) => details.map(({ field }) => field).sort();

describe('the list of records', () => {
  test('has the newest closing first, ties by id, newest first', async () => {
    const records = await recordsOf(org);
    expect(records).toHaveLength(9);
    const keys = records.map(({ closed_date, id }) => `${closed_date} ${id}`);
    expect(keys).toEqual(keys.toSorted().reverse());
    expect(records.slice(0, 3).map(inWords).sort()).toEqual([
      'p1 on o5: sourced',
      'p2 on o5: co_sell',
      'p3 on o5: influenced',
    ]);
  });

  test('can be narrowed to a tier, a partner, a time after and before, neither day included', async () => {
    const partner_id = (await recordOf(org, 'p2', 'o1')).partner.id;
    const opportunities = async (query: string) =>
      (await credits(org, `?${query}`)).map((line) => line.replace(/:.*/, ''));
    const all = ['p1 on o1', 'p1 on o2', 'p1 on o3', 'p1 on o4', 'p1 on o5'];
    expect(await opportunities('tier=sourced')).toEqual(all);
    expect(await opportunities('tier=influenced')).toEqual(['p3 on o5']);
    expect(await opportunities(`partner_id=${partner_id}`)).toEqual(['p2 on o1', 'p2 on o3', 'p2 on o5']);
    expect(await opportunities(`partner_id=${partner_id}&tier=sourced`)).toEqual([]);
    expect(await opportunities('tier=sourced&closed_after=2024-03-10')).toEqual(all.slice(1));
    expect(await opportunities('tier=sourced&closed_before=2024-03-11')).toEqual(all.slice(0, 1));
    expect(await opportunities('tier=sourced&closed_after=2024-03-10&closed_before=2024-03-12')).toEqual([
      'p1 on o2',
      'p1 on o3',
    ]);
    expect(await opportunities(`partner_id=${partner_id}&closed_after=2024-03-10&tier=co_sell`)).toEqual([
      'p2 on o3',
      'p2 on o5',
    ]);
    expect(
      await opportunities(`closed_after=2024-03-31&closed_before=2024-04-02&partner_id=${partner_id}`),
    ).toEqual(['p2 on o5']);
    expect(await opportunities('closed_after=2024-04-01')).toEqual([]);
    expect(await opportunities('closed_after=2024-03-12&closed_before=2024-03-11')).toEqual([]);
  });

  test('takes the UTC date of a timestamp', async () => {
    const count = async (query: string) => (await recordsOf(org, `?tier=sourced&${query}`)).length;
    expect(await count('closed_after=2024-03-11T00:00:00Z')).toBe(2);
    expect(await count('closed_after=2024-03-11T23:59:59.999Z')).toBe(2);
    expect(await count('closed_before=2024-03-11T23:59:59.999Z')).toBe(1);
    // 22:30 on the 10th in New York is the 11th in UTC.
    expect(await count(`closed_after=${encodeURIComponent('2024-03-10T22:30:00-05:00')}`)).toBe(2);
    expect(await count(`closed_before=${encodeURIComponent('2024-03-12T01:30:00+02:00')}`)).toBe(1);
    expect(await count('closed_after=0001-01-01&closed_before=9999-12-31')).toBe(5);
  });

  test.each(['closed_after', 'closed_before'])('refuses a bad %s and names it', async (field) => {
    for (const value of [
      '2024-02-30',
      '2024-13-01',
      '0000-01-01',
      '10000-01-01',
      '2024-3-1',
      '20240301',
      '2024-03',
      'yesterday',
      '',
      '1709251200',
      '2024-03-01T12:00',
      '2024-03-01T12:00:00',
      '2024-03-01T25:00:00Z',
      '2024-06-30T23:59:60Z',
      '9999-12-31T23:00:00-05:00',
      '0001-01-01T00:00:00+05:00',
      '2024-03-01\0',
      ' 2024-03-01',
    ]) {
      const answer = await org.get(`/v1/attribution?${field}=${encodeURIComponent(value)}`);
      expect([value, answer.status, answer.body.error?.code]).toEqual([value, 400, 'invalid_request']);
      expect(fieldsOf(answer.body.error.details)).toEqual([field]);
    }
    const twice = await org.get(`/v1/attribution?${field}=2024-03-01&${field}=2024-03-02`);
    expect([twice.status, fieldsOf(twice.body.error?.details)]).toEqual([400, [field]]);
  });

  test('refuses everything that it does not know, all of it at once', async () => {
    const answer = await org.get('/v1/attribution?tier=gold&closed_after=x&status=active&limit=0');
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer.body.error.details)).toEqual(['closed_after', 'limit', 'status', 'tier']);
  });

  test('is empty for a partner that is unknown, malformed or no partner at all', async () => {
    const [record] = await recordsOf(org);
    for (const id of [newId('prt'), 'nonsense', '', 'prt_', '%00', record?.id, record?.account.id]) {
      const answer = await org.get(`/v1/attribution?partner_id=${id}`);
      expect([answer.status, answer.body.data, answer.body.has_more], id).toEqual([200, [], false]);
    }
  });

  test.each(['', 'tier=sourced', 'closed_after=2024-03-10&closed_before=2024-04-02'])(
    'comes page by page, each record once: %s',
    async (filter) => {
      const expected = (await recordsOf(org, filter && `?${filter}`)).map(({ id }) => id);
      for (const limit of [1, 2, 3, expected.length]) {
        const walked: string[] = [];
        let cursor = '';
        for (let page = 0; page <= expected.length; page++) {
          const answer = await org.get(`/v1/attribution?limit=${limit}&${filter}${cursor}`);
          expect(answer.status, answer.text).toBe(200);
          walked.push(...answer.body.data.map(({ id }: { id: string }) => id));
          expect(answer.body.has_more).toBe(walked.length < expected.length);
          expect('next_cursor' in answer.body).toBe(answer.body.has_more);
          if (!answer.body.has_more) break;
          expect(answer.body.next_cursor).toMatch(/^cur_/);
          cursor = `&cursor=${answer.body.next_cursor}`;
        }
        expect(walked).toEqual(expected);
      }
    },
  );

  test('binds a cursor to its filters, its route and its organization', async () => {
    const { next_cursor } = (await org.get('/v1/attribution?limit=1&tier=sourced')).body;
    const other = await service.organization();
    const answers = {
      'the same': await org.get(`/v1/attribution?tier=sourced&limit=3&cursor=${next_cursor}`),
      'another filter': await org.get(`/v1/attribution?tier=co_sell&cursor=${next_cursor}`),
      'no filter': await org.get(`/v1/attribution?cursor=${next_cursor}`),
      'one more filter': await org.get(
        `/v1/attribution?tier=sourced&closed_after=2024-01-01&cursor=${next_cursor}`,
      ),
      'another route': await org.get(`/v1/signals?cursor=${next_cursor}`),
      'another organization': await other.get(`/v1/attribution?tier=sourced&cursor=${next_cursor}`),
      tampered: await org.get(`/v1/attribution?tier=sourced&cursor=${next_cursor.slice(0, -2)}AA`),
    };
    const results = Object.entries(answers).map(([name, { status, body }]) => [
      name,
      status,
      body.error?.code,
    ]);
    expect(results[0]).toEqual(['the same', 200, undefined]);
    for (const [name, status, code] of results.slice(1))
      expect([name, status, code]).toEqual([name, 400, 'invalid_cursor']);
  });
});

test('another organization’s records, partners and disputes are not there, on any route of attribution', async () => {
  const theirs = await wonByThree(service);
  const record = await recordOf(theirs, 'p3');
  const dispute = (await openDispute(theirs, record.id, 'sourced')).body.data;
  const before = await everythingOf(service.pool, theirs.orgId);

  const body = { claimed_tier: 'sourced', justification: 'Ours' };
  const { id: mine } = await recordOf(org, 'p1', 'o1');
  for (const [method, path, sent] of [
    ['GET', `/v1/attribution/${record.id}`, undefined],
    ['POST', `/v1/attribution/${record.id}/disputes`, body],
    ['PATCH', `/v1/attribution/${record.id}/disputes/${dispute.id}`, { status: 'accepted' }],
    ['PATCH', `/v1/attribution/${record.id}/disputes/${dispute.id}`, { status: 'withdrawn' }],
    ['PATCH', `/v1/attribution/${mine}/disputes/${dispute.id}`, { status: 'accepted' }],
  ] as const) {
    const answer = await org.call(method, path, { body: sent });
    expect([answer.status, answer.body.error?.code], `${method} ${path}`).toEqual([404, 'not_found']);
    // Like an ID that nobody has: the message repeats what was asked for.
    expect(answer.body.error.message).toMatch(/^There is no [\w ]+ with the ID \w+\.$/);
  }
  for (const path of ['/v1/attribution', '/v1/attribution/summary']) {
    const answer = await org.get(`${path}?partner_id=${record.partner.id}`);
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain(record.partner.id);
  }
  expect((await org.get('/v1/attribution?limit=100')).text).not.toContain(record.id);
  expect(await everythingOf(service.pool, theirs.orgId)).toEqual(before);
});

test('reading takes a key with the scope read', async () => {
  const { id } = await recordOf(org, 'p1', 'o1');
  const reader = await service.operator('POST', `/admin/v1/organizations/${org.orgId}/keys`, {
    name: 'reader',
    scopes: ['read'],
  });
  const pipeline = await service.operator('POST', `/admin/v1/organizations/${org.orgId}/keys`, {
    name: 'pipeline',
    scopes: ['ingest'],
  });
  for (const path of ['/v1/attribution', `/v1/attribution/${id}`, '/v1/attribution/summary']) {
    expect((await service.call('GET', path, { key: reader.body.data.key })).status, path).toBe(200);
    expect((await service.call('GET', path, { key: pipeline.body.data.key })).status, path).toBe(403);
    expect((await service.call('GET', path)).status, path).toBe(401);
  }
});
