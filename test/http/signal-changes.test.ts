import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkNow } from '../due-work.ts';
import { type ListedSignal, loadFacts, organizationWithOverlaps, readAll } from '../facts.ts';
import {
  type Answer,
  caller,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../harness.ts';

const states = ['new', 'in_progress', 'handled', 'expired'] as const;
type State = (typeof states)[number];

let service: TestService;
/** A fresh signal for each test that needs one; changing one never touches another. */
let org: TestOrganization;
let fresh: ListedSignal[];
beforeAll(async () => {
  service = await startTestService();
  ({ org, signals: fresh } = await organizationWithOverlaps(service, 60));
});
afterAll(() => service.close());

function freshPath(): string {
  const signal = fresh.pop();
  if (!signal) throw new Error('make more signals at the start');
  return `/v1/signals/${signal.id}`;
}

const patch = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  org.call('PATCH', path, { body, headers });

const nobody = { key_id: null, key_name: null, actor: null };

/** The changes of a signal, which no route shows. */
async function updatesOf(path: string): Promise<ListedSignal[]> {
  const { rows } = await service.pool.query(
    `select data from events e join event_numbers n on n.org_id = e.org_id and n.event_id = e.id
     where kind = 'signal.updated' and data->>'id' = $1 order by number`,
    [path.slice('/v1/signals/'.length)],
  );
  return rows.map((row) => row.data);
}

describe('a change of state', () => {
  const allowed: Record<State, State[]> = {
    new: ['in_progress', 'handled', 'expired'],
    in_progress: ['new', 'handled', 'expired'],
    handled: ['in_progress'],
    expired: ['new'],
  };

  describe.each(states)('from %s', (from) => {
    test.each(states)('to %s', async (to) => {
      const path = freshPath();
      if (from !== 'new') await patch(path, { state: from });
      const before = await org.get(path);
      const events = await updatesOf(path);
      const answer = await patch(path, { state: to });
      const after = await org.get(path);

      if (from === to) {
        expect(answer.status).toBe(200);
        expect(answer.body.data).toEqual(before.body.data);
        expect(answer.headers.etag).toBe(before.headers.etag);
        expect(after.body.data).toEqual(before.body.data);
        expect(await updatesOf(path)).toEqual(events);
      } else if (allowed[from].includes(to)) {
        expect(answer.status).toBe(200);
        expect(answer.body.data).toEqual(after.body.data);
        expect(answer.headers.etag).toBe(after.headers.etag);
        expect(after.headers.etag).not.toBe(before.headers.etag);
        const { history, updated_at, priority, priority_parts, end_reason, ...rest } = after.body.data;
        const isActive = to === 'new' || to === 'in_progress';
        expect([priority === null, priority_parts === null]).toEqual([!isActive, !isActive]);
        expect(end_reason).toBe(isActive ? null : to === 'handled' ? 'handled' : 'dismissed');
        expect({ ...before.body.data, ...rest, state: to }).toEqual({ ...before.body.data, state: to });
        expect(history).toEqual([
          ...before.body.data.history,
          {
            from,
            to,
            note: null,
            changed_by: { key_id: org.keyId, key_name: 'test', actor: null },
            changed_at: updated_at,
          },
        ]);
        expect(updated_at > before.body.data.updated_at).toBe(true);
        const added = (await updatesOf(path)).slice(events.length);
        expect(added).toEqual([(await readAll<ListedSignal>(org, '/v1/signals')).find(isAt(path))]);
      } else {
        expect([answer.status, answer.body.error.code]).toEqual([409, 'invalid_transition']);
        const named = states.filter((state) => answer.body.error.message.match(`\\b${state}\\b`));
        expect(named).toEqual(states.filter((state) => [from, to, ...allowed[from]].includes(state)));
        expect(after.body.data).toEqual(before.body.data);
        expect(await updatesOf(path)).toEqual(events);
      }
    });
  });

  const isAt = (path: string) => (signal: ListedSignal) => path.endsWith(signal.id);

  test('asked for eight times at once happens once', async () => {
    const path = freshPath();
    const answers = await Promise.all(Array.from({ length: 8 }, () => patch(path, { state: 'in_progress' })));
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200));
    expect((await org.get(path)).body.data.history).toHaveLength(1);
    expect(await updatesOf(path)).toHaveLength(1);
  });

  test('back to life is refused while a newer signal of the same kind is active on the deal', async () => {
    const lone = await service.organization();
    await loadFacts(lone, { partners: [{}], accounts: [{}], opportunities: [{}], activities: [{}] });
    const [old] = await readAll<ListedSignal>(lone, '/v1/signals');
    const path = `/v1/signals/${old?.id}`;
    await lone.call('PATCH', path, { body: { state: 'handled' } });
    await loadFacts(lone, { activities: [{ kind: 'deal_registration' }] });
    const [newer] = await readAll<ListedSignal>(lone, '/v1/signals?state=new');
    expect(newer).toMatchObject({ type: 'co_sell', opportunity: { id: old?.opportunity.id } });
    expect(newer?.id).not.toBe(old?.id);

    const before = (await lone.get(path)).body.data;
    const refused = await lone.call('PATCH', path, { body: { state: 'in_progress', note: 'again' } });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'invalid_transition']);
    expect((await lone.get(path)).body.data).toEqual(before);
    expect(await updatesOf(path)).toHaveLength(1);

    await lone.call('PATCH', `/v1/signals/${newer?.id}`, { body: { state: 'handled' } });
    const reopened = await lone.call('PATCH', path, { body: { state: 'in_progress' } });
    expect([reopened.status, reopened.body.data?.state]).toEqual([200, 'in_progress']);
  });
});

describe('a note', () => {
  test('alone is kept in the history and changes nothing else, in any state', async () => {
    const path = freshPath();
    const listed = (await org.get('/v1/signals?limit=100')).body.data;
    for (const state of ['new', 'in_progress', 'handled', 'in_progress', 'expired'] as const) {
      await patch(path, { state });
      const before = await org.get(path);
      const events = await updatesOf(path);
      const answer = await patch(path, { note: '  Called Zoë.\n🙂 ' });
      expect(answer.status).toBe(200);
      expect(answer.headers.etag).not.toBe(before.headers.etag);
      expect(answer.body.data.state).toBe(state);
      expect(answer.body.data.history).toEqual([
        ...before.body.data.history,
        expect.objectContaining({ from: state, to: state, note: '  Called Zoë.\n🙂 ' }),
      ]);
      expect(await updatesOf(path)).toEqual(events);
    }
    const others = (signal: ListedSignal) => !path.endsWith(signal.id);
    expect((await org.get('/v1/signals?limit=100')).body.data.filter(others)).toEqual(listed.filter(others));
  });

  test('with a state is one entry; with the present state it is kept as well', async () => {
    const path = freshPath();
    await patch(path, { state: 'handled', note: 'done' });
    await patch(path, { state: 'handled', note: 'really' });
    expect((await org.get(path)).body.data.history).toMatchObject([
      { from: 'new', to: 'handled', note: 'done' },
      { from: 'handled', to: 'handled', note: 'really' },
    ]);
    expect(await updatesOf(path)).toHaveLength(1);
  });

  test('is not kept where the state is refused', async () => {
    const path = freshPath();
    await patch(path, { state: 'expired' });
    expect((await patch(path, { state: 'handled', note: 'please' })).status).toBe(409);
    expect((await org.get(path)).body.data.history).toHaveLength(1);
  });

  test.each(['x', '🙂'])('of 2,000 characters %s is taken whole, one more is 400', async (character) => {
    const path = freshPath();
    const note = character.repeat(2_000);
    expect((await patch(path, { note })).body.data.history).toMatchObject([{ note }]);
    const answer = await patch(path, { note: `${note}${character}` });
    expect(answer.status).toBe(400);
    expect(answer.body.error.details).toMatchObject([{ field: 'note', code: 'too_long' }]);
  });
});

test('every body that is not a state, a note or both is 400, names each bad field and changes nothing', async () => {
  const path = freshPath();
  const before = await org.get(path);
  const cases: [unknown, string[]][] = [
    [{}, ['body']],
    [[], ['body']],
    [[{ state: 'handled' }], ['body']],
    [null, ['body']],
    ['handled', ['body']],
    [{ note: '' }, ['note']],
    [{ note: ' \n\t' }, ['note']],
    [{ note: null }, ['note']],
    [{ note: 5 }, ['note']],
    [{ note: ['x'] }, ['note']],
    [{ note: 'nul \0' }, ['note']],
    [{ note: 'half \ud800' }, ['note']],
    [{ state: 'done' }, ['state']],
    [{ state: 'New' }, ['state']],
    [{ state: null }, ['state']],
    [{ state: 1 }, ['state']],
    [{ state: ['handled'] }, ['state']],
    [{ state: 'handled', note: null }, ['note']],
    [{ state: 'handled', notes: 'x' }, ['notes']],
    [{ state: 'handled', id: 'sig_1' }, ['id']],
    [{ state: 'done', note: '', type: 'overlap' }, ['note', 'state', 'type']],
  ];
  for (const [body, fields] of cases) {
    const { status, body: answer } = await patch(path, body);
    expect({ body, status, code: answer.error?.code }).toEqual({
      body,
      status: 400,
      code: 'invalid_request',
    });
    const named = answer.error.details.map(({ field }: { field: string }) => field).sort();
    expect({ body, named }).toEqual({ body, named: fields });
  }
  expect((await org.call('PATCH', path)).status).toBe(400);
  expect((await org.call('PATCH', path, { raw: '{"state":' })).status).toBe(400);
  const after = await org.get(path);
  expect(after.body.data).toEqual(before.body.data);
  expect(await updatesOf(path)).toEqual([]);
});

describe('who made a change', () => {
  /** Node sends header bytes unchanged only together with a binary body. */
  const as = (actor: string, path: string, change: unknown, key = org.key) =>
    org.call('PATCH', path, {
      key,
      raw: Buffer.from(JSON.stringify(change)),
      headers: { 'x-actor': Buffer.from(actor).toString('latin1') },
    });

  test('is the key and the person whom X-Actor names', async () => {
    const path = freshPath();
    const issued = await service.operator('POST', `/admin/v1/organizations/${org.orgId}/keys`, {
      name: 'Shared key',
      scopes: ['write'],
    });
    const { id, key } = issued.body.data;
    await as(' Zoë 木 🙂 ', path, { note: 'one' }, key);
    await as(' ', path, { state: 'handled' }, key);
    await as('Max', path, { state: 'in_progress' });
    const { history } = (await org.get(path)).body.data;
    expect(history.map((entry: { changed_by: unknown }) => entry.changed_by)).toEqual([
      { key_id: id, key_name: 'Shared key', actor: 'Zoë 木 🙂' },
      { key_id: id, key_name: 'Shared key', actor: null },
      { key_id: org.keyId, key_name: 'test', actor: 'Max' },
    ]);
  });

  test.each(['x', 'é', '🙂'])('may have a name of 200 characters %s, one more is 400', async (character) => {
    const path = freshPath();
    const actor = character.repeat(200);
    const answer = await as(actor, path, { state: 'handled' });
    expect(answer.body.data?.history).toMatchObject([{ changed_by: { actor } }]);
    const refused = await as(actor + character, path, { state: 'in_progress' });
    expect(refused.status).toBe(400);
    expect(refused.body.error.details).toMatchObject([{ field: 'X-Actor', code: 'too_long' }]);
    expect((await org.get(path)).body.data.state).toBe('handled');
  });

  test('must hold the scope write', async () => {
    const path = freshPath();
    for (const scopes of [['read'], ['ingest']]) {
      const issued = await service.operator('POST', `/admin/v1/organizations/${org.orgId}/keys`, {
        name: 'weak',
        scopes,
      });
      const { key } = issued.body.data;
      const answer = await org.call('PATCH', path, { key, body: { state: 'handled' } });
      expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden']);
      expect(answer.body.error.message).toContain('write');
    }
    expect((await org.get(path)).body.data).toMatchObject({ state: 'new', history: [] });
  });
});

describe('If-Match', () => {
  test('with the tag of the present detail, alone, in a list or as *, lets the change through', async () => {
    const path = freshPath();
    const tag = async () => (await org.get(path)).headers.etag ?? '';
    const headers = [
      await tag(),
      '*',
      async () => `"other", ${await tag()}`,
      async () => `W/"x",${await tag()} `,
    ];
    for (const [index, header] of headers.entries()) {
      const value = typeof header === 'string' ? header : await header();
      const answer = await patch(path, { note: `${index}` }, { 'if-match': value });
      expect([value, answer.status]).toEqual([value, 200]);
      expect(answer.headers.etag).toBe(await tag());
    }
  });

  test('with any other tag is 412 and changes nothing', async () => {
    const path = freshPath();
    const old = (await org.get(path)).headers.etag ?? '';
    const { headers, body } = await patch(path, { note: 'seen by one reader only' });
    const tag = headers.etag ?? '';
    for (const value of [old, `W/${tag}`, `"other", ${old}`, tag.slice(1, -1), '"*"', '""', '']) {
      const answer = await patch(path, { state: 'handled' }, { 'if-match': value });
      expect([value, answer.status, answer.body.error?.code]).toEqual([value, 412, 'precondition_failed']);
    }
    expect((await org.get(path)).body.data).toEqual(body.data);
    expect(await updatesOf(path)).toEqual([]);
  });

  test('a new activity in the log makes the tag another', async () => {
    const { org: lone, signals } = await organizationWithOverlaps(service, 1);
    const path = `/v1/signals/${signals[0]?.id}`;
    const before = (await lone.get(path)).headers.etag ?? '';
    await loadFacts(lone, { activities: [{ kind: 'content_touch' }] });
    const stale = await lone.call('PATCH', path, {
      body: { state: 'handled' },
      headers: { 'if-match': before },
    });
    expect(stale.status).toBe(412);
  });

  test('given alike to eight changes at once lets exactly one through', async () => {
    const path = freshPath();
    const etag = (await org.get(path)).headers.etag ?? '';
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => patch(path, { note: `${index}` }, { 'if-match': etag })),
    );
    const won = answers.filter((answer) => answer.status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 412)).toHaveLength(7);
    expect((await org.get(path)).body.data).toEqual(won[0]?.body.data);
  });
});

test('a detail that is read in the middle of changes shows a state and the history that led to it', async () => {
  const { org: lone, signals } = await organizationWithOverlaps(service, 1);
  const path = `/v1/signals/${signals[0]?.id}`;
  let done = false;
  const read: Answer[] = [];
  const readers = Array.from({ length: 4 }, async () => {
    while (!done && read.length < 180) read.push(await lone.get(path));
  });
  for (let round = 0; round < 50; round++) {
    await lone.call('PATCH', path, { body: { state: round % 2 === 0 ? 'in_progress' : 'new' } });
  }
  done = true;
  await Promise.all(readers);
  expect(read.length).toBeGreaterThan(20);
  for (const { body } of read) {
    expect(body.data.history.at(-1)?.to ?? 'new').toBe(body.data.state);
  }
});

describe('expiry', () => {
  /** Tests cannot move time forward, but they can move the expiry to now. */
  const endLife = async (ids: string[]) => {
    await service.pool.query('update signals set expires_at = now() where id = any($1)', [ids]);
    await checkNow(service.pool);
  };
  const stateOf = async (of: TestOrganization, id: string) =>
    (await of.get(`/v1/signals/${id}`)).body.data.state;

  test('ends new signals within 5 s of their time, once, with two services at work, and nothing else', async () => {
    const second = await startTestService({}, service.databaseUrl);
    const { org: lone, signals } = await organizationWithOverlaps(service, 40);
    const due = signals.slice(0, 30).map(({ id }) => id);
    const [working, handled] = signals.slice(30, 32).map(({ id }) => id) as [string, string];
    await lone.call('PATCH', `/v1/signals/${working}`, { body: { state: 'in_progress' } });
    await lone.call('PATCH', `/v1/signals/${handled}`, { body: { state: 'handled' } });
    const startedAt = performance.now();
    await endLife([...due, working, handled]);
    const expired = () => readAll<ListedSignal>(lone, '/v1/signals?state=expired');
    await expect.poll(async () => (await expired()).length).toBe(30);
    expect(performance.now() - startedAt).toBeLessThan(5_000);

    expect(new Set((await expired()).map(({ id }) => id))).toEqual(new Set(due));
    expect(await stateOf(lone, working)).toBe('in_progress');
    expect(await stateOf(lone, handled)).toBe('handled');
    for (const id of due) {
      expect((await lone.get(`/v1/signals/${id}`)).body.data.history).toEqual([
        {
          from: 'new',
          to: 'expired',
          note: 'The signal reached its expiry date.',
          changed_by: nobody,
          changed_at: expect.any(String),
        },
      ]);
      expect(await updatesOf(`/v1/signals/${id}`)).toMatchObject([{ id, state: 'expired' }]);
    }

    // The signal goes back to `new` after its expiry: only now does it end.
    const elsewhere = caller(second.url, second.ca);
    await elsewhere('PATCH', `/v1/signals/${working}`, { key: lone.key, body: { state: 'new' } });
    await expect.poll(() => stateOf(lone, working)).toBe('expired');
    expect(await updatesOf(`/v1/signals/${working}`)).toMatchObject(
      ['in_progress', 'new', 'expired'].map((state) => ({ state })),
    );
    await second.close();
  });
});

describe('GET /v1/signals/summary', () => {
  test('agrees with the list at every step of facts, changes and expiry', async () => {
    const lone = await service.organization();
    const empty = { new: 0, in_progress: 0, handled: 0, expired: 0 };
    await agree(0);
    await loadFacts(lone, {
      partners: [{}, {}],
      accounts: [{}, {}, {}],
      opportunities: [{}],
      partner_accounts: [{}, { domain: 'a2.example' }, { partner_external_id: 'p2' }],
      activities: [{}, { partner_external_id: 'p2', account_crm_id: 'a3', kind: 'referral' }],
    });
    await agree(4);
    await loadFacts(lone, {
      activities: [{ partner_external_id: 'p2', account_crm_id: 'a3', kind: 'referral' }],
    });
    const all = await agree(5);
    for (const [index, { id }] of all.entries()) {
      const state = states[index % 4];
      await lone.call('PATCH', `/v1/signals/${id}`, { body: { state } });
      await agree(5);
    }
    await loadFacts(lone, { opportunities: [{ status: 'lost' }] });
    await agree(null);
    const { id } = (await readAll<ListedSignal>(lone, '/v1/signals?state=new'))[0] as ListedSignal;
    await service.pool.query('update signals set expires_at = now() where id = $1', [id]);
    await checkNow(service.pool);
    await expect.poll(async () => (await lone.get(`/v1/signals/${id}`)).body.data.state).toBe('expired');
    await agree(null);

    async function agree(total: number | null): Promise<ListedSignal[]> {
      const signals = await readAll<ListedSignal>(lone, '/v1/signals');
      const by_type = { co_sell: { ...empty }, overlap: { ...empty }, pre_intent: { ...empty } };
      for (const { type, state } of signals) by_type[type][state]++;
      const { data } = (await lone.get('/v1/signals/summary')).body;
      expect(data).toEqual({ total: total ?? signals.length, by_type });
      return signals;
    }
  });

  test('is of one organization and takes no parameters', async () => {
    const other = await service.organization();
    expect((await other.get('/v1/signals/summary')).body.data.total).toBe(0);
    expect((await other.get('/v1/signals/summary?state=new')).body.error.details).toMatchObject([
      { field: 'state', code: 'unknown' },
    ]);
  });
});
