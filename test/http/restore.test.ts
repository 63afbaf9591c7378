import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkNow, moveBack } from '../due-work.ts';
import { awayFromMidnight, daysAgo, type ListedSignal, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { eventsOf } from '../ingest/requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(awayFromMidnight);

/** One co-sell signal. */
async function organizationWithSignal(): Promise<{ org: TestOrganization; id: string }> {
  const org = await service.organization();
  await loadFacts(org, { partners: [{}], accounts: [{}], opportunities: [{}], activities: [{}] });
  const [signal] = await readAll<ListedSignal>(org, '/v1/signals');
  return { org, id: signal?.id ?? '' };
}

const patch = (org: TestOrganization, id: string, body: unknown) =>
  org.call('PATCH', `/v1/signals/${id}`, { body });
const detailOf = async (org: TestOrganization, id: string) => (await org.get(`/v1/signals/${id}`)).body.data;
const dismiss = (org: TestOrganization, id: string) => patch(org, id, { state: 'expired' });

async function expectRefused(org: TestOrganization, id: string, why: RegExp): Promise<void> {
  const before = await org.get(`/v1/signals/${id}`);
  const events = (await eventsOf(service.pool, org.orgId)).length;
  const { status, body } = await patch(org, id, { state: 'new', note: 'Again' });
  expect([status, body.error.code]).toEqual([409, 'invalid_transition']);
  expect(body.error.message).toMatch(why);
  expect((await org.get(`/v1/signals/${id}`)).body.data).toEqual(before.body.data);
  expect(await eventsOf(service.pool, org.orgId)).toHaveLength(events);
}

describe('a dismissed signal', () => {
  test('is restored to new, with its note, its priority, its event and its count', async () => {
    const { org, id } = await organizationWithSignal();
    const before = await detailOf(org, id);
    await dismiss(org, id);
    const { status, body } = await patch(org, id, { state: 'new', note: 'By mistake' });
    expect(status).toBe(200);
    const { history, updated_at, ...rest } = body.data;
    expect({ ...before, ...rest }).toEqual(before);
    expect(history.map(({ from, to, note }: Record<string, unknown>) => [from, to, note])).toEqual([
      ['new', 'expired', null],
      ['expired', 'new', 'By mistake'],
    ]);
    expect((await eventsOf(service.pool, org.orgId)).at(-1)).toMatchObject({
      kind: 'signal.updated',
      data: { id, state: 'new', priority: before.priority },
    });
    const { by_type } = (await org.get('/v1/signals/summary')).body.data;
    expect(by_type.co_sell).toEqual({ new: 1, in_progress: 0, handled: 0, expired: 0 });
  });

  test('takes up what happened since: it has no cooldown any more', async () => {
    const { org, id } = await organizationWithSignal();
    await dismiss(org, id);
    await loadFacts(org, { activities: [{ kind: 'proposal_support' }] });
    expect((await detailOf(org, id)).reasons[0].activity_ids).toHaveLength(1);
    const { data } = (await patch(org, id, { state: 'new' })).body;
    expect(data.reasons[0].activity_ids).toHaveLength(2);
  });

  test.each(['in_progress', 'handled'])('does not become %s', async (state) => {
    const { org, id } = await organizationWithSignal();
    await dismiss(org, id);
    const { status, body } = await patch(org, id, { state });
    expect([status, body.error.code]).toEqual([409, 'invalid_transition']);
    expect(body.error.message).toContain('you can set: new');
  });

  test('stays dismissed where its deal is closed', async () => {
    const { org, id } = await organizationWithSignal();
    await dismiss(org, id);
    await loadFacts(org, { opportunities: [{ status: 'lost' }] });
    await expectRefused(org, id, /deal is closed/);
  });

  test('stays dismissed where its time is up', async () => {
    const { org, id } = await organizationWithSignal();
    await dismiss(org, id);
    const where = `org_id = '${org.orgId}'`;
    await moveBack(service.pool, { table: 'activities', columns: ['occurred_at'], by: '31 days', where });
    await moveBack(service.pool, {
      table: 'signals',
      columns: ['expires_at', 'fired_at'],
      by: '31 days',
      where,
    });
    await expectRefused(org, id, /time is up/);
  });

  test('stays dismissed where an equal signal is active', async () => {
    const { org, id } = await organizationWithSignal();
    await dismiss(org, id);
    await loadFacts(org, { activities: [{ kind: 'deal_registration' }] });
    const active = await readAll<ListedSignal>(org, '/v1/signals?state=new');
    expect(active.map(({ type }) => type)).toEqual(['co_sell']);
    await expectRefused(org, id, /another signal of the same type/);
  });

  test('of another organization is not found', async () => {
    const { org, id } = await organizationWithSignal();
    await dismiss(org, id);
    const other = await service.organization();
    expect((await patch(other, id, { state: 'new' })).status).toBe(404);
  });
});

test('a signal that expired by facts is final', async () => {
  const { org, id } = await organizationWithSignal();
  await loadFacts(org, { opportunities: [{ status: 'lost' }] });
  await expectRefused(org, id, /service itself ended is final/);
});

test('a signal that expired by time is final', async () => {
  const { org, id } = await organizationWithSignal();
  const where = `org_id = '${org.orgId}'`;
  await moveBack(service.pool, {
    table: 'signals',
    columns: ['expires_at', 'fired_at'],
    by: '60 days',
    where,
  });
  await checkNow(service.pool, org);
  await expect.poll(async () => (await detailOf(org, id)).state).toBe('expired');
  await expectRefused(org, id, /service itself ended is final/);
});

describe('the reason of a dismissal', () => {
  test('is kept until the signal is restored', async () => {
    const { org, id } = await organizationWithSignal();
    const dismissed = await patch(org, id, { state: 'expired', dismiss_reason: 'wrong_match' });
    expect(dismissed.body.data.dismiss_reason).toBe('wrong_match');
    expect((await patch(org, id, { state: 'expired' })).body.data.dismiss_reason).toBe('wrong_match');
    const again = await patch(org, id, { state: 'expired', dismiss_reason: 'wrong_match' });
    expect([again.status, again.headers.etag]).toEqual([200, dismissed.headers.etag]);
    const other = await patch(org, id, { state: 'expired', dismiss_reason: 'too_late' });
    expect([other.status, other.body.error.code]).toEqual([409, 'invalid_transition']);
    expect((await patch(org, id, { state: 'new' })).body.data.dismiss_reason).toBe(null);
  });

  test.each([
    [{ dismiss_reason: 'too_late' }],
    [{ state: 'handled', dismiss_reason: 'too_late' }],
    [{ state: 'expired', dismiss_reason: 'bored' }],
  ])('is refused in %j', async (body) => {
    const { org, id } = await organizationWithSignal();
    const answer = await patch(org, id, body);
    expect([answer.status, answer.body.error.details[0].field]).toEqual([400, 'dismiss_reason']);
  });

  test('is refused for a signal that expired on its own', async () => {
    const { org, id } = await organizationWithSignal();
    await loadFacts(org, { opportunities: [{ status: 'lost' }] });
    const { status, body } = await patch(org, id, { state: 'expired', dismiss_reason: 'too_late' });
    expect([status, body.error.code]).toEqual([409, 'invalid_transition']);
  });
});

describe('POST /v1/signals/batch', () => {
  const ada = { name: 'Ada', email: 'ada@example.com' };
  const batch = (org: TestOrganization, items: unknown, headers = {}) =>
    org.call('POST', '/v1/signals/batch', { body: { items }, headers });

  async function organizationWithSignals(count: number) {
    const org = await service.organization();
    const places = Array.from({ length: count }, (_, i) => i + 1);
    await loadFacts(org, {
      partners: [{}],
      accounts: places.map(() => ({})),
      partner_accounts: places.map((n) => ({ domain: `a${n}.example` })),
    });
    const ids = (await readAll<ListedSignal>(org, '/v1/signals')).map(({ id }) => id);
    return { org, ids };
  }

  test('applies each change alone and answers in the order of the items', async () => {
    const { org, ids } = await organizationWithSignals(5);
    const [a, b, c, d, e] = ids as [string, string, string, string, string];
    await dismiss(org, d);
    const unknown = e.replace(/.{4}$/, '0000');
    const { status, body } = await batch(
      org,
      [
        { id: a, state: 'in_progress', note: 'Mine', assignee: ada },
        { id: unknown, state: 'handled' },
        { id: b, state: 'expired', dismiss_reason: 'already_known' },
        { id: d, state: 'handled' },
        { id: c, dismiss_reason: 'too_late' },
        { id: 'nonsense', note: 'x' },
        { id: d, state: 'new' },
        { id: e, state: 'new' },
      ],
      { 'x-actor': 'Ada' },
    );
    expect(status).toBe(200);
    const { changed, refused, outcomes } = body.data;
    expect([changed, refused]).toEqual([4, 4]);
    type Outcome = { id: string; signal: ListedSignal | null; error: { code: string } | null };
    expect(outcomes.map(({ id, signal, error }: Outcome) => [id, signal?.state ?? error?.code])).toEqual([
      [a, 'in_progress'],
      [unknown, 'not_found'],
      [b, 'expired'],
      [d, 'invalid_transition'],
      [c, 'invalid_request'],
      ['nonsense', 'not_found'],
      [d, 'new'],
      [e, 'new'],
    ]);
    const listed = await readAll<ListedSignal>(org, '/v1/signals');
    for (const { id, signal } of outcomes)
      if (signal) expect(signal).toEqual(listed.find((one) => one.id === id));
    const { history, assignee } = await detailOf(org, a);
    expect(assignee).toEqual(ada);
    expect(history).toMatchObject([{ note: 'Mine', assignee: ada, changed_by: { actor: 'Ada' } }]);
    expect((await detailOf(org, c)).history).toEqual([]);
    const events = (await eventsOf(service.pool, org.orgId)).filter(({ kind }) => kind === 'signal.updated');
    expect(new Set(events.map(({ data }) => data.id))).toEqual(new Set([a, b, d]));
  });

  test('two batches over the same signals, in opposite orders, both end', async () => {
    const { org, ids } = await organizationWithSignals(20);
    const notes = (note: string, order: string[]) =>
      batch(
        org,
        order.map((id) => ({ id, note })),
      );
    const answers = await Promise.all([
      notes('one', ids),
      notes('two', ids.toReversed()),
      notes('three', ids),
      notes('four', ids.toReversed()),
    ]);
    expect(answers.map(({ status, body }) => [status, body.data.changed])).toEqual(Array(4).fill([200, 20]));
    for (const id of ids.slice(0, 3)) expect((await detailOf(org, id)).history).toHaveLength(4);
  });

  test('is answered once for an Idempotency-Key, with its refusals', async () => {
    const { org, ids } = await organizationWithSignals(2);
    const items = [
      { id: ids[0], note: 'Once' },
      { id: ids[1], state: 'new', dismiss_reason: 'too_late' },
    ];
    const first = await batch(org, items, { 'idempotency-key': 'k' });
    const again = await batch(org, items, { 'idempotency-key': 'k' });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.body.data).toEqual(first.body.data);
    expect((await detailOf(org, ids[0] ?? '')).history).toHaveLength(1);
  });

  test.each([
    ['no items', [], 'items'],
    ['more than 100', Array.from({ length: 101 }, () => ({ id: 'sig_x', note: 'x' })), 'items'],
    ['an item without a change', [{ id: 'sig_x' }], 'items.0'],
    ['an item without an id', [{ note: 'x', state: 'new' }], 'items.0.id'],
    ['an unknown field', [{ id: 'sig_x', color: 'red' }], 'items.0.color'],
    ['a bad state', [{ id: 'sig_x', state: 'gone' }], 'items.0.state'],
  ])('refuses %s as a whole', async (_, items, field) => {
    const org = await service.organization();
    const { status, body } = await batch(org, items);
    expect([status, body.error.details[0].field]).toEqual([400, field]);
  });

  test('needs the scope write, and finds nothing of another organization', async () => {
    const { ids } = await organizationWithSignals(1);
    const reader = await service.organization({ scopes: ['read'] });
    expect((await batch(reader, [{ id: ids[0], note: 'x' }])).status).toBe(403);
    const writer = await service.organization({ scopes: ['write'] });
    const { body } = await batch(writer, [{ id: ids[0], note: 'x' }]);
    expect(body.data.outcomes[0].error.code).toBe('not_found');
  });
});

test('dismissed evidence that is restored after a while is as fresh as its day says', async () => {
  const { org, id } = await organizationWithSignal();
  await dismiss(org, id);
  const where = `org_id = '${org.orgId}'`;
  await moveBack(service.pool, { table: 'activities', columns: ['occurred_at'], by: '15 days', where });
  await moveBack(service.pool, { table: 'signals', columns: ['fired_at'], by: '15 days', where });
  const { data } = (await patch(org, id, { state: 'new' })).body;
  expect(data.priority_parts.freshness).toBe(50);
  expect(data.expires_at.slice(0, 10)).toBe(daysAgo(-16).slice(0, 10));
});
