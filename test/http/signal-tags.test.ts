import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { daysAgo, type Facts, type ListedSignal, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

let service: TestService;
let org: TestOrganization;
let path: string;

/** Too old for any rule, so that only the log shows a change of it. */
const old = {
  external_id: 'old',
  kind: 'content_touch',
  occurred_at: daysAgo(500),
  summary: 'Read',
} as const;
const facts: Facts = {
  partners: [{}, {}],
  accounts: [{}, {}, {}],
  opportunities: [{}],
  activities: [{ external_id: 'new', occurred_at: daysAgo(1) }, old],
};

beforeAll(async () => {
  service = await startTestService();
  org = await service.organization();
  await loadFacts(org, facts);
  await loadFacts(org, { activities: [{ ...old, external_id: 'other', account_crm_id: 'a3' }] });
  const [signal] = await readAll<ListedSignal>(org, '/v1/signals?type=co_sell');
  path = `/v1/signals/${signal?.id}`;
});
afterAll(() => service.close());

const load = (changed: Facts) => () => loadFacts(org, changed);
const edit = (fields: object) => load({ activities: [{ ...old, ...fields }] });
const patch = (body: object) => () => org.call('PATCH', path, { body });
type Detail = { tag: string; log: unknown[]; rest: unknown };
const read = async (): Promise<Detail> => {
  const { body, headers } = await org.get(path);
  const { activity_log, ...rest } = body.data;
  return { tag: headers.etag ?? '', log: activity_log, rest };
};

describe('the tag of a signal', () => {
  /** Each detail that was read, by its ETag. */
  const seen = new Map<string, unknown>();

  /** Each begins where the previous one ended. */
  test.each<[string, () => Promise<unknown>]>([
    ['an edited summary', edit({ summary: 'Read it all' })],
    ['the summary edited back', edit({})],
    ['another kind', edit({ kind: 'integration_usage' })],
    ['another time', edit({ occurred_at: daysAgo(501) })],
    ['another person', edit({ actor: 'Ines' })],
    ['another source', edit({ source: 'crm' })],
    ['a deal that is named', edit({ opportunity_crm_id: 'o1' })],
    ['another activity', edit({ external_id: 'second' })],
    ['a withdrawal', load({ activities: [{ external_id: 'old', deleted: true }] })],
    ['the return of what was withdrawn', edit({})],
    ['a move to another account', edit({ account_crm_id: 'a2' })],
    ['a move back', edit({})],
    ['a move to another partner', edit({ partner_external_id: 'p2' })],
    ['a move back from the partner', edit({})],
    ['a merge that brings an activity', load({ accounts: [{ crm_id: 'a3', merged_into: 'a1' }] })],
  ])('is another after %s, though only the log shows it', async (_, change) => {
    const before = await read();
    await change();
    const after = await read();
    expect(after.log).not.toEqual(before.log);
    expect(after.rest).toEqual(before.rest);
    await expectAnother(before, after);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['the partner is renamed', load({ partners: [{ name: 'Zephyr' }] })],
    ['the partner is of another type', load({ partners: [{ name: 'Zephyr', type: 'hyperscaler' }] })],
    ['the account is renamed', load({ accounts: [{ name: 'Harbour Mills' }] })],
    ['the deal is renamed', load({ opportunities: [{ name: 'Renewal' }] })],
    ['the deal has another value', load({ opportunities: [{ name: 'Renewal', value: 2 }] })],
    [
      'the deal has another stage',
      load({ opportunities: [{ name: 'Renewal', value: 2, stage: 'won soon' }] }),
    ],
    ['there is a note', patch({ note: 'Called' })],
    ['there is the same note again', patch({ note: 'Called' })],
    ['the state is another', patch({ state: 'in_progress' })],
    ['the state is the first again', patch({ state: 'new' })],
  ])('is another when %s', async (_, change) => {
    const before = await read();
    await change();
    const after = await read();
    expect(after.rest).not.toEqual(before.rest);
    await expectAnother(before, after);
  });

  async function expectAnother(before: Detail, after: Detail) {
    expect(after.tag).not.toBe(before.tag);
    seen.set(before.tag, before);
    expect(after).toEqual(seen.get(after.tag) ?? after);
    seen.set(after.tag, after);
    const headers = { 'if-match': before.tag };
    expect((await org.call('PATCH', path, { body: { note: 'late' }, headers })).status).toBe(412);
    expect(await read()).toEqual(after);
  }

  test('stays when nothing that the detail shows changes', async () => {
    const { tag } = await read();
    const other = await service.organization();
    const changes: [string, () => Promise<unknown>][] = [
      ['the same rows', edit({})],
      ['a newer version with the same content', edit({ source_updated_at: daysAgo(0) })],
      ['an activity of another partner', edit({ external_id: 'x', partner_external_id: 'p2' })],
      ['an activity on another account', edit({ external_id: 'y', account_crm_id: 'a2' })],
      ['another organization', () => loadFacts(other, facts)],
      ['a change to the present state', patch({ state: 'new' })],
    ];
    for (const [what, change] of changes) {
      await change();
      expect([what, (await read()).tag]).toEqual([what, tag]);
    }
    const noted = await org.call('PATCH', path, { body: { note: 'in time' }, headers: { 'if-match': tag } });
    expect(noted.status).toBe(200);
  });
});

describe('If-None-Match', () => {
  const get = (method: string, header: string) =>
    org.call(method, path, { headers: { 'if-none-match': header } });

  test('with the tag, strong, weak, in a list or as *, is 304 without a body', async () => {
    const { tag } = await read();
    for (const header of [tag, `W/${tag}`, `"other", W/${tag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers, text } = await get(method, header);
        expect([header, status, headers.etag, text]).toEqual([header, 304, tag, '']);
      }
    }
  });

  test('with any other tag is the signal as it is', async () => {
    const { tag } = await read();
    await patch({ note: 'news' })();
    for (const header of [tag, '"other"', tag.slice(1, -1), '']) {
      const { status, body } = await get('GET', header);
      expect([header, status, body.data?.history.at(-1).note]).toEqual([header, 200, 'news']);
    }
  });
});
