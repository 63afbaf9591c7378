import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { ClientError } from '../../src/client/client-error.ts';
import { loadFacts } from '../facts.ts';
import { startTestService, type TestService } from '../harness.ts';

let service: TestService;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  const organization = await service.organization();
  key = organization.key;
  await loadFacts(organization, {
    partners: ['Ash', 'Birch', 'Cedar'].map((name) => ({ name, tier: 1 })),
    accounts: [{ name: 'Dale Optics' }],
    partner_accounts: [{ domain: 'a1.example' }],
  });
});
afterAll(() => service.close());

/** The service's certificate is its own authority's, which the global fetch of Node cannot be told to trust. */
const trusting: typeof fetch = async (input, init) => {
  init?.signal?.throwIfAborted();
  const answer = await service.call(init?.method ?? 'GET', String(input).replace(service.url, ''), {
    headers: init?.headers as Record<string, string>,
    ...(init?.body ? { raw: String(init.body) } : {}),
  });
  return new Response(answer.text, {
    status: answer.status,
    headers: answer.headers as Record<string, string>,
  });
};
const client = (with_ = key) => createClient({ baseUrl: service.url, key: with_, fetch: trusting });
const refusal = (call: Promise<unknown>): Promise<ClientError> =>
  call.then(
    () => expect.fail('was not refused'),
    (error) => error,
  );

describe('the client', () => {
  test('walks a list by its cursor and leaves out filters that are not set', async () => {
    const first = await client().partners.list({ type: undefined, tier: 1 }, { limit: 2 });
    expect(first.data.map(({ name }) => name)).toEqual(['Ash', 'Birch']);
    const rest = await client().partners.list({ tier: 1 }, { limit: 2, cursor: first.next_cursor });
    expect(rest.data.map(({ name }) => name)).toEqual(['Cedar']);
    expect(rest.has_more).toBe(false);
  });

  test('reads a partner, what it did and what it has in common with us', async () => {
    const [ash] = (await client().partners.list()).data;
    const id = ash?.id ?? '';
    expect((await client().partners.get(id)).data.active_signal_count).toBe(1);
    expect((await client().partners.overlaps(id)).data).toMatchObject([{ account: { name: 'Dale Optics' } }]);
    expect((await client().partners.activities(id)).data).toEqual([]);
  });

  test('changes a signal only while it is as it was read', async () => {
    expect((await client().signals.summary()).data.total).toBe(1);
    const [listed] = (await client().signals.list({ state: 'new' })).data;
    const read = await client().signals.get(listed?.id ?? '');
    const changed = await client().signals.change(
      read.data.id,
      { state: 'in_progress' },
      { ifMatch: read.etag },
    );
    expect(changed.data.state).toBe('in_progress');
    expect(changed.etag).not.toBe(read.etag);
    const late = await refusal(
      client().signals.change(read.data.id, { note: 'late' }, { ifMatch: read.etag }),
    );
    expect(late).toMatchObject({ code: 'precondition_failed', status: 412 });
    const again = await client().signals.change(read.data.id, { note: 'in time' }, { ifMatch: changed.etag });
    expect(again.data.history.map(({ note }) => note)).toEqual([null, 'in time']);
  });

  test('throws what the service says is wrong, field by field', async () => {
    const error = await refusal(client().partners.list({ tier: 9 }));
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({ code: 'invalid_request', status: 400, details: [{ field: 'tier' }] });
    expect(error.request_id).toMatch(/^req_/);
    expect(await refusal(client('psk_wrong').signals.list())).toMatchObject({
      code: 'unauthorized',
      status: 401,
    });
    expect(await refusal(client().signals.get('../partners'))).toMatchObject({
      code: 'not_found',
      status: 404,
    });
  });

  test('tells apart a service that cannot be reached, an answer that is not its own, and its own abortion', async () => {
    const nowhere = createClient({ baseUrl: 'https://127.0.0.1:1', key });
    expect(await refusal(nowhere.signals.list())).toMatchObject({ code: 'unreachable', status: 0 });
    for (const status of [200, 502]) {
      const proxy = createClient({
        baseUrl: '',
        key,
        fetch: async () => new Response('<h1>Bad gateway</h1>', { status }),
      });
      expect(await refusal(proxy.signals.list())).toMatchObject({ code: 'unreadable_answer', status });
    }
    const aborted = await refusal(client().signals.list({}, {}, { signal: AbortSignal.abort() }));
    expect(aborted).toMatchObject({ name: 'AbortError' });
  });
});
