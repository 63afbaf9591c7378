import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadFacts } from '../facts.ts';
import { startTestService, type TestService } from '../harness.ts';
import { expectComplete, signalWithLog, startReading } from './long-log.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('the log of a signal', () => {
  test.each([99, 100, 101, 200, 1_001])(
    'of %i activities is complete, in GET and in PATCH',
    async (count) => {
      const { org, path } = await signalWithLog(service, count);
      const read = await org.get(path);
      expectComplete(read, count);
      // What fits into a page goes out in one piece, with its length.
      expect(read.headers['content-length'] !== undefined).toBe(count < 100);
      expect(read.headers['content-type']).toBe('application/json; charset=utf-8');

      const note = 'A note about "activity_log":[] and more';
      const changed = await org.call('PATCH', path, {
        body: { note },
        headers: { 'if-match': read.headers.etag ?? '' },
      });
      expect(changed.body.data).toEqual({
        ...read.body.data,
        history: [expect.objectContaining({ note })],
      });
      const again = await org.get(path);
      expect(again.body.data).toEqual(changed.body.data);
      expect(again.headers.etag).toBe(changed.headers.etag);

      const head = await org.call('HEAD', path);
      expect([head.status, head.headers.etag, head.text]).toEqual([200, again.headers.etag, '']);
      const known = await org.call('GET', path, { headers: { 'if-none-match': again.headers.etag ?? '' } });
      expect(known.status).toBe(304);
    },
  );

  test('is complete though its account is merged into another while it is read', async () => {
    const { org, path } = await signalWithLog(service, 8_000);
    const reader = await startReading(service, org.key, path);
    await loadFacts(org, { accounts: [{ crm_id: 'a1', merged_into: 'a2' }] });
    const { data } = JSON.parse(await reader.readToEnd());
    expect(data.account.crm_id).toBe('a1');
    expect(data.activity_log).toHaveLength(8_000);
    const now = await org.get(path);
    expect(now.body.data.account.crm_id).toBe('a2');
    expect(now.headers.etag).not.toBe(reader.response.headers.etag);
  });

  test('that cannot be read to its end breaks off, and does not pass for a complete one', async () => {
    const { org, path } = await signalWithLog(service, 8_000);
    const reader = await startReading(service, org.key, path);
    expect(reader.response.statusCode).toBe(200);
    await service.pool.query('alter table activities rename to activities_away');
    try {
      await expect(reader.readToEnd()).rejects.toThrow('aborted');
    } finally {
      await service.pool.query('alter table activities_away rename to activities');
    }
    expectComplete(await org.get(path), 8_000);
  });
});
