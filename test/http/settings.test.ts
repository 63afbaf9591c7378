import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { defaultSettings } from '../../src/contract/settings.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

let service: TestService;
let org: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  org = await service.organization();
});

const changed = { ...defaultSettings, density: { window_days: 30 } };
const put = (body: unknown, headers: Record<string, string> = {}, { call }: TestOrganization = org) =>
  call('PUT', '/v1/settings', { body, headers });

test('an admin reads the settings and replaces them, whole, as a new version', async () => {
  const read = await org.get('/v1/settings');
  expect(read.body.data).toMatchObject({ version: 1, settings: defaultSettings });
  const saved = await put(changed, { 'if-match': read.headers.etag ?? '', 'x-actor': 'Noor Halvorsen' });
  expect(saved.status).toBe(200);
  expect(saved.body.data).toMatchObject({
    version: 2,
    settings: changed,
    created_by: 'Noor Halvorsen (test)',
  });
  const again = await org.get('/v1/settings');
  expect([again.body.data, again.headers.etag]).toEqual([saved.body.data, saved.headers.etag]);
  const path = `/admin/v1/organizations/${org.orgId}/settings`;
  expect((await service.operator('GET', path)).body.data).toEqual(saved.body.data);
  const unnamed = await put(changed, { 'if-match': '*' });
  expect(unnamed.body.data).toMatchObject({ version: 3, created_by: 'test' });
});

test('If-Match is required, and a version that is no longer current is 412; nothing is saved', async () => {
  const operated = `/admin/v1/organizations/${org.orgId}/settings`;
  for (const missing of [await put(changed), await service.operator('PUT', operated, changed, {})])
    expect(missing).toMatchObject({
      status: 400,
      body: {
        error: {
          message:
            'The If-Match header is required. Get the settings first, and send the ETag of the response.',
          details: [{ field: 'If-Match', code: 'required' }],
        },
      },
    });
  const { etag = '' } = (await org.get('/v1/settings')).headers;
  expect((await service.operator('GET', operated)).headers.etag).toBe(etag);
  expect((await service.operator('PUT', operated, changed, { 'if-match': etag })).headers.etag).toBe('"2"');
  for (const tag of [etag, `W/"2"`, '"0"', 'x'])
    for (const late of [
      await put(defaultSettings, { 'if-match': tag }),
      await service.operator('PUT', operated, defaultSettings, { 'if-match': tag }),
    ])
      expect(late).toMatchObject({ status: 412, body: { error: { code: 'precondition_failed' } } });
  expect((await org.get('/v1/settings')).body.data).toMatchObject({ version: 2, settings: changed });
});

test('of two that start from the same version, one is saved', async () => {
  const { etag = '' } = (await org.get('/v1/settings')).headers;
  const answers = await Promise.all([1, 2, 3].map(() => put(changed, { 'if-match': etag })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
});

test('a bad setting is 400 and names it', async () => {
  const answer = await put({ ...changed, density: { window_days: 0 }, more: 1 }, { 'if-match': '*' });
  expect(answer.status).toBe(400);
  expect(answer.body.error.details.map(({ field }: { field: string }) => field).sort()).toEqual([
    'density.window_days',
    'more',
  ]);
});

test.each([
  ['read', 200, 403],
  ['write', 200, 403],
  ['ingest', 403, 403],
  ['admin', 200, 200],
] as const)('with the scope %s, reading is %i and writing %i', async (scope, reads, writes) => {
  const own = await service.organization({ scopes: [scope] });
  expect((await own.get('/v1/settings')).status).toBe(reads);
  expect((await put(changed, { 'if-match': '*' }, own)).status).toBe(writes);
});

test('the settings of another organization stay as they are', async () => {
  const other = await service.organization();
  await put(changed, { 'if-match': '*' });
  expect((await other.get('/v1/settings')).body.data).toMatchObject({
    version: 1,
    settings: defaultSettings,
  });
});

test('versions are listed newest first, by page, to readers of the organization only', async () => {
  const own = await service.organization();
  for (const lookback of [100, 101]) {
    const { sourced } = defaultSettings.attribution;
    const attribution = { ...defaultSettings.attribution, sourced: { ...sourced, lookback_days: lookback } };
    await own.call('PUT', '/v1/settings', {
      body: { ...defaultSettings, attribution },
      headers: { 'if-match': '*', 'x-actor': 'Noor' },
    });
  }
  const first = (await own.get('/v1/settings/versions?limit=2')).body;
  expect(first.data).toMatchObject([
    { version: 3, created_by: expect.stringMatching(/^Noor \(/) },
    { version: 2, settings: { attribution: { sourced: { lookback_days: 100 } } } },
  ]);
  const rest = (await own.get(`/v1/settings/versions?limit=2&cursor=${first.next_cursor}`)).body;
  expect(rest).toMatchObject({ data: [{ version: 1 }], has_more: false });
  const pipeline = await service.organization({ scopes: ['ingest'] });
  expect((await pipeline.get('/v1/settings/versions')).status).toBe(403);
});
