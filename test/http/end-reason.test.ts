import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { endReasons } from '../../src/vocabulary.ts';
import { checkNow, moveBack } from '../due-work.ts';
import { awayFromMidnight, type ListedSignal, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { eventsOf } from '../ingest/requests.ts';

let service: TestService;
let org: TestOrganization;
let id: string;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  awayFromMidnight();
  org = await service.organization();
  await loadFacts(org, { partners: [{}], accounts: [{}], opportunities: [{}], activities: [{}] });
  const [signal] = await readAll<ListedSignal>(org, '/v1/signals');
  id = signal?.id ?? '';
});

const set = (state: string) => org.call('PATCH', `/v1/signals/${id}`, { body: { state } });
const reason = async () => (await org.get(`/v1/signals/${id}`)).body.data.end_reason;

/** The signal shows this reason in every shape, and only the filter for this reason finds it. */
async function expectReason(expected: string | null): Promise<void> {
  const [account] = (await org.get('/v1/accounts')).body.data;
  expect(await reason()).toBe(expected);
  expect((await org.get('/v1/signals')).body.data).toMatchObject([{ id, end_reason: expected }]);
  expect((await eventsOf(service.pool, org.orgId)).at(-1)?.data).toMatchObject({ id, end_reason: expected });
  for (const end_reason of endReasons) {
    const ids = end_reason === expected ? [id] : [];
    for (const more of ['', '&type=co_sell', `&account_id=${account.id}`, `&q=${account.crm_id}`])
      expect((await listed(`end_reason=${end_reason}${more}`)).map((one) => one.id)).toEqual(ids);
    expect(await listed(`end_reason=${end_reason}&sort=priority`)).toEqual([]);
  }
  const csv = await org.call('GET', '/v1/signals', { headers: { accept: 'text/csv' } });
  expect(csv.text).toMatch(new RegExp(`,end_reason\\r\\n.*,${expected ?? ''}\\r\\n$`));
}

const listed = async (query: string): Promise<ListedSignal[]> =>
  (await org.get(`/v1/signals?${query}`)).body.data;

test('is null while a signal is active, and again when a handled one is reopened', async () => {
  await expectReason(null);
  await set('handled');
  await expectReason('handled');
  await set('in_progress');
  await expectReason(null);
});

test('is dismissed until the signal is restored', async () => {
  await set('expired');
  await expectReason('dismissed');
  await set('new');
  await expectReason(null);
});

test('is facts until the facts support the signal again', async () => {
  await loadFacts(org, { opportunities: [{ status: 'lost' }] });
  await expectReason('facts');
  await loadFacts(org, { opportunities: [{ status: 'open' }] });
  await expectReason(null);
});

test('is time if nobody started work on the signal before it ran out', async () => {
  const where = `org_id = '${org.orgId}'`;
  const columns = ['expires_at', 'fired_at'];
  await moveBack(service.pool, { table: 'signals', columns, by: '60 days', where });
  await checkNow(service.pool, org);
  await expect.poll(reason).toBe('time');
  await expectReason('time');
});

test('is one of the four reasons in the filter, too', async () => {
  expect(await org.get('/v1/signals?end_reason=bored')).toMatchObject({
    status: 400,
    body: { error: { details: [{ field: 'end_reason' }] } },
  });
  expect(await listed('end_reason=handled&state=expired')).toEqual([]);
});
