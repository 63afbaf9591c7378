import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportRows } from '../../src/vocabulary.ts';
import { startTestService, type TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('a file has at most 100,000 rows, and says so where there are more', async () => {
  const org = await service.organization();
  const fill = (from: number, to: number) =>
    service.pool.query(
      `insert into accounts (org_id, id, crm_id, name, name_key, created_at, updated_at)
       select $1, 'acc_' || lpad(i::text, 26, '0'), 'a' || i, 'A', 'a', now(), now() from generate_series($2::int, $3) i`,
      [org.orgId, from, to],
    );
  const lines = async () => {
    const { text } = await org.call('GET', '/v1/accounts', { headers: { accept: 'text/csv' } });
    return text.trimEnd().split('\r\n').slice(1);
  };
  await fill(1, exportRows);
  const all = await lines();
  expect(all).toHaveLength(exportRows);
  expect(new Set(all).size).toBe(exportRows);
  await fill(exportRows + 1, exportRows + 1);
  const cut = await lines();
  expect(cut.slice(0, -1)).toEqual(all);
  expect(cut.at(-1)).toBe('"Only the first 100,000 rows are included. Use filters to export fewer.",,,,');
});
