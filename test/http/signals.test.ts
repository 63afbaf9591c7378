import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/contract/ids.ts';
import {
  awayFromMidnight,
  daysAgo,
  type ListedSignal,
  loadFacts,
  organizationWithOverlaps,
  readAll,
} from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-z]{26}$`));
const states = ['new', 'in_progress', 'handled', 'expired'] as const;

let service: TestService;
let org: TestOrganization;
let signals: ListedSignal[];
/** What the list should hold, from the facts and the changes alone: the state of each type, partner and account. */
const expected = new Map<string, string>();

const keyOf = ({ type, partner, account }: ListedSignal) => `${type} ${partner.name} ${account.crm_id}`;

/**
 * Two partners, each with an overlap on six accounts, co-sell on the three with a deal and pre-intent on the rest;
 * then each type and partner is given every state.
 */
beforeAll(async () => {
  service = await startTestService();
  org = await service.organization();
  const accounts = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'];
  await loadFacts(org, {
    partners: [{}, { type: 'hyperscaler' }],
    accounts: accounts.map(() => ({})),
    opportunities: ['a1', 'a2', 'a3'].map((account_crm_id) => ({
      account_crm_id,
      value: 1234.56,
      currency: 'NOK',
    })),
  });
  for (const partner_external_id of ['p1', 'p2']) {
    await loadFacts(org, {
      partner_accounts: accounts.map((account) => ({ partner_external_id, domain: `${account}.example` })),
      activities: accounts.flatMap((account_crm_id) =>
        ['introduction', 'referral'].map((kind) => ({
          partner_external_id,
          account_crm_id,
          kind: kind as 'referral',
        })),
      ),
    });
    for (const account of accounts) {
      expected.set(`overlap Partner ${partner_external_id} ${account}`, 'new');
      expected.set(
        `${account < 'a4' ? 'co_sell' : 'pre_intent'} Partner ${partner_external_id} ${account}`,
        'new',
      );
    }
  }
  const fired = await readAll<ListedSignal>(org, '/v1/signals');
  for (const [index, signal] of fired.entries()) {
    const state = states[(index + Math.floor(index / 4)) % 4];
    if (!state || state === 'new') continue;
    await org.call('PATCH', `/v1/signals/${signal.id}`, { body: { state } });
    expected.set(keyOf(signal), state);
  }
  signals = await readAll(org, '/v1/signals');
});
afterAll(() => service.close());

describe('GET /v1/signals', () => {
  test('holds exactly what the facts call for, each in its state', () => {
    expect(new Map(signals.map((signal) => [keyOf(signal), signal.state]))).toEqual(expected);
    expect(signals).toHaveLength(expected.size);
  });

  test('an item has exactly the fields of the specification, its priority, people, end reason and the currency of the deal, each of its type', async () => {
    const { body } = await org.get('/v1/signals?limit=1');
    expect(body).toEqual({
      data: expect.any(Array),
      meta: { request_id: id('req'), timestamp },
      has_more: true,
      next_cursor: expect.stringMatching(/^cur_/),
    });
    for (const signal of signals) {
      expect(signal).toEqual({
        id: id('sig'),
        type: expect.stringMatching(/^(co_sell|overlap|pre_intent)$/),
        state: expect.stringMatching(/^(new|in_progress|handled|expired)$/),
        partner: {
          id: id('prt'),
          name: expect.any(String),
          type: expect.stringMatching(/^(gsi|hyperscaler)$/),
        },
        account: { id: id('acc'), name: expect.any(String), crm_id: expect.stringMatching(/^a[1-6]$/) },
        opportunity: {
          id: id('opp'),
          name: expect.any(String),
          value: expect.any(Number),
          currency: signal.opportunity.stage === 'prospective' ? null : 'NOK',
          stage: expect.any(String),
        },
        owner: null,
        assignee: null,
        priority: signal.state === 'new' || signal.state === 'in_progress' ? expect.any(Number) : null,
        end_reason: { handled: 'handled', expired: expect.any(String) }[signal.state as string] ?? null,
        fired_at: timestamp,
        recommended_action: expect.stringMatching(/^\S.{20,}\.$/),
      });
    }
  });

  test('the opportunity is the deal, or a prospective one where there is no deal', () => {
    for (const { account, opportunity } of signals) {
      const inCrm = { name: `Opportunity o${account.crm_id.slice(1)}`, value: 1234.56, stage: 'proposal' };
      const expectedOpportunity = account.crm_id < 'a4' ? inCrm : { value: 0, stage: 'prospective' };
      expect(opportunity).toMatchObject(expectedOpportunity);
    }
    const prospective = signals.filter(({ opportunity }) => opportunity.stage === 'prospective');
    expect(new Set(prospective.map(({ opportunity }) => opportunity.id)).size).toBe(3);
  });

  test('comes newest first, ties by id', () => {
    const sorted = signals.toSorted((a, b) => (`${a.fired_at} ${a.id}` < `${b.fired_at} ${b.id}` ? 1 : -1));
    expect(signals.map((signal) => signal.id)).toEqual(sorted.map((signal) => signal.id));
    const times = new Set(signals.map((signal) => signal.fired_at));
    expect(times.size).toBeGreaterThan(2);
    expect(times.size).toBeLessThan(signals.length);
  });

  test('every filter alone and every combination answers what the unfiltered list says', async () => {
    const partner = signals.find(({ partner }) => partner.name === 'Partner p1')?.partner.id ?? '';
    const accounts = ['a1', 'a5'].map(
      (crmId) => signals.find(({ account }) => account.crm_id === crmId)?.account.id ?? '',
    );
    const checks: Promise<void>[] = [];
    let answered = 0;
    for (const type of ['', 'co_sell', 'overlap', 'pre_intent'])
      for (const state of ['', ...states])
        for (const partner_id of ['', partner])
          for (const account_id of ['', ...accounts])
            checks.push(check({ type, state, partner_id, account_id }));
    await Promise.all(checks);
    expect(checks).toHaveLength(120);
    expect(answered).toBeGreaterThan(60);

    async function check(filters: Record<'type' | 'state' | 'partner_id' | 'account_id', string>) {
      const given = Object.entries(filters).filter(([, value]) => value !== '');
      const { status, body } = await org.get(`/v1/signals?limit=100&${new URLSearchParams(given)}`);
      const matching = signals.filter(
        (signal) =>
          (filters.type === '' || signal.type === filters.type) &&
          (filters.state === '' || signal.state === filters.state) &&
          (filters.partner_id === '' || signal.partner.id === filters.partner_id) &&
          (filters.account_id === '' || signal.account.id === filters.account_id),
      );
      expect({ filters, status, data: body.data }).toEqual({ filters, status: 200, data: matching });
      if (matching.length > 0) answered++;
    }
  });

  test.each(['', 'nope', '%00', '%ff', '%ed%a0%80', "' or 1=1 --", 'x'.repeat(2_000), newId('org')])(
    'partner_id or account_id %s, which is unknown or no identifier at all, matches nothing',
    async (value) => {
      const own = signals[0]?.partner.id;
      for (const filter of [
        `partner_id=${value}`,
        `account_id=${value}`,
        `partner_id=${own}&account_id=${value}`,
      ]) {
        const { status, body } = await org.get(`/v1/signals?${filter.replaceAll(' ', '+')}`);
        expect({ filter, status, data: body.data, has_more: body.has_more }).toEqual({
          filter,
          status: 200,
          data: [],
          has_more: false,
        });
      }
    },
  );

  test("another organization's signals, partners and accounts match nothing", async () => {
    const other = await service.organization();
    const [first] = signals;
    for (const query of ['', `?partner_id=${first?.partner.id}`, `?account_id=${first?.account.id}`]) {
      expect((await other.get(`/v1/signals${query}`)).body.data).toEqual([]);
    }
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['type=friend', 'type'],
    ['type=', 'type'],
    ['state=done', 'state'],
    ['state=new&state=handled', 'state'],
    ['partner=prt_1', 'partner'],
    ['opportunity_id=opp_1', 'opportunity_id'],
  ])('%s is 400 and names it', async (query, field) => {
    const answer = await org.get(`/v1/signals?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'invalid_request', details: [{ field }] });
  });
});

describe('a page', () => {
  test('has 25 items by default, up to 100, and a cursor only if there are more', async () => {
    const { org: many } = await organizationWithOverlaps(service, 101);
    const page = async (query: string) => {
      const { body } = await many.get(`/v1/signals${query}`);
      expect(Object.hasOwn(body, 'next_cursor')).toBe(body.has_more);
      return [body.data.length, body.has_more];
    };
    expect(await page('')).toEqual([25, true]);
    expect(await page('?limit=1')).toEqual([1, true]);
    expect(await page('?limit=100')).toEqual([100, true]);
    const { next_cursor } = (await many.get('/v1/signals?limit=100')).body;
    expect(await page(`?cursor=${next_cursor}`)).toEqual([1, false]);
    expect(await page('?state=new&limit=100')).toEqual([100, true]);
    expect(await page('?state=handled')).toEqual([0, false]);
  });

  test('that ends at the last item has no more', async () => {
    const { body } = await org.get(`/v1/signals?limit=${signals.length}`);
    expect(body.data).toHaveLength(signals.length);
    expect(body.has_more).toBe(false);
    expect(body).not.toHaveProperty('next_cursor');
  });

  test('is continued with the same filters in any order and with any limit', async () => {
    const first = await org.get('/v1/signals?limit=1&type=overlap&state=new');
    const rest = await org.get(
      `/v1/signals?state=new&cursor=${first.body.next_cursor}&type=overlap&limit=100`,
    );
    expect([...first.body.data, ...rest.body.data]).toEqual(
      signals.filter(({ type, state }) => type === 'overlap' && state === 'new'),
    );
  });

  test('cannot be continued with other filters, on another list or by another organization', async () => {
    const partner = signals[0]?.partner.id;
    const { next_cursor } = (await org.get('/v1/signals?limit=1&type=overlap')).body;
    const other = await service.organization();
    const answers = [
      await org.get(`/v1/signals?cursor=${next_cursor}`),
      await org.get(`/v1/signals?cursor=${next_cursor}&type=co_sell`),
      await org.get(`/v1/signals?cursor=${next_cursor}&type=overlap&state=new`),
      await org.get(`/v1/signals?cursor=${next_cursor}&type=overlap&partner_id=${partner}`),
      await org.get(`/v1/signals?cursor=${next_cursor}&type=overlap&account_id=nope`),
      await org.get(`/v1/partners?cursor=${next_cursor}`),
      await org.get(`/v1/partners/${partner}/activities?cursor=${next_cursor}`),
      await other.get(`/v1/signals?cursor=${next_cursor}&type=overlap`),
      await org.get(`/v1/signals?cursor=${next_cursor}x&type=overlap`),
      await org.get('/v1/signals?cursor=cur_&type=overlap'),
      await org.get('/v1/signals?cursor=&type=overlap'),
    ];
    for (const { status, body } of answers) {
      expect([status, body.error.code]).toEqual([400, 'invalid_cursor']);
    }
  });
});

describe('GET /v1/signals/{signal_id}', () => {
  test('adds the log, the history, the reasons and its times to the list item, and nothing else', async () => {
    for (const listed of signals.slice(0, 12)) {
      const { status, body, headers } = await org.get(`/v1/signals/${listed.id}`);
      expect(status).toBe(200);
      expect(headers.etag).toMatch(/^"[\x21\x23-\x7e]+"$/);
      expect(body).toEqual({
        data: {
          ...listed,
          dismiss_reason: null,
          priority_parts:
            listed.priority === null ? null : expect.objectContaining({ value: expect.any(Number) }),
          expires_at: timestamp,
          updated_at: timestamp,
          reasons: [
            {
              rule: listed.type,
              settings_version: 1,
              activity_ids: listed.type === 'overlap' ? [] : [id('act'), id('act')],
              detail: expect.stringMatching(/\S/),
            },
          ],
          activity_log: [expect.anything(), expect.anything()],
          history: listed.state === 'new' ? [] : [expect.objectContaining({ to: listed.state })],
        },
        meta: { request_id: id('req'), timestamp },
      });
    }
  });

  test('lives until the end of the UTC day that its rule names', async () => {
    await awayFromMidnight();
    const lone = await service.organization();
    await loadFacts(lone, {
      partners: [{}],
      accounts: [{}, {}],
      opportunities: [{}],
      partner_accounts: [{}],
      activities: [
        { occurred_at: daysAgo(3) },
        { occurred_at: daysAgo(5), account_crm_id: 'a2', kind: 'referral' },
        { occurred_at: daysAgo(5), account_crm_id: 'a2', kind: 'referral' },
      ],
    });
    const ends = await Promise.all(
      (await readAll<ListedSignal>(lone, '/v1/signals')).map(async ({ id, type, fired_at }) => {
        const { expires_at } = (await lone.get(`/v1/signals/${id}`)).body.data;
        return [
          type,
          (Date.parse(expires_at) - Date.parse(`${fired_at.slice(0, 10)}T00:00:00Z`)) / 86_400_000,
        ];
      }),
    );
    expect(Object.fromEntries(ends)).toEqual({ overlap: 91, co_sell: 31 - 3, pre_intent: 15 - 5 });
  });

  test('the activity log is complete and newest first, of this partner on this account alone', async () => {
    const lone = await service.organization();
    const kinds = ['content_touch', 'joint_meeting', 'referral'] as const;
    const own = Array.from({ length: 130 }, (_, index) => ({
      external_id: `own-${index}`,
      kind: kinds[index % 3] ?? 'referral',
      // Two of each time, and most of them far outside of every rule's window.
      occurred_at: daysAgo(Math.floor(index / 2) * 9),
      summary: `Activity ${index}`,
    }));
    await loadFacts(lone, {
      partners: [{}, {}],
      accounts: [{}, {}],
      opportunities: [{}],
      activities: [
        ...own,
        { external_id: 'full', opportunity_crm_id: 'o1', actor: 'Zoë 🙂', source: 'crm', summary: 'Full' },
        { partner_external_id: 'p2' },
        { account_crm_id: 'a2' },
        { external_id: 'gone' },
      ],
    });
    await loadFacts(lone, { activities: [{ external_id: 'gone', deleted: true }] });
    const [signal] = (await lone.get('/v1/signals')).body.data.filter(
      ({ partner, account }: ListedSignal) => partner.name === 'Partner p1' && account.crm_id === 'a1',
    );
    const { activity_log } = (await lone.get(`/v1/signals/${signal.id}`)).body.data;
    expect(activity_log.map(({ summary }: { summary: string }) => summary).sort()).toEqual(
      ['Full', ...own.map(({ summary }) => summary)].sort(),
    );
    const places = activity_log.map(
      ({ occurred_at, id }: { occurred_at: string; id: string }) => `${occurred_at} ${id}`,
    );
    expect(places).toEqual(places.toSorted().reverse());
    for (const entry of activity_log) {
      const full = entry.summary === 'Full';
      expect(entry).toEqual({
        id: id('act'),
        kind: expect.any(String),
        occurred_at: full ? timestamp : own[Number(entry.summary.slice(9))]?.occurred_at,
        recorded_at: timestamp,
        summary: expect.any(String),
        actor: full ? 'Zoë 🙂' : null,
        source: full ? 'crm' : null,
        opportunity_id: full ? signal.opportunity.id : null,
      });
    }
  });

  test.each(['sig_', 'nope', 'summary2', '%00', newId('sig'), newId('prt'), 'x'.repeat(500)])(
    '404 for %s, which is unknown or no identifier at all',
    async (unknown) => {
      for (const method of ['GET', 'PATCH']) {
        const body = method === 'PATCH' ? { state: 'handled' } : undefined;
        const answer = await org.call(method, `/v1/signals/${unknown}`, { body });
        expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
      }
    },
  );

  test("another organization's signal is 404, to read and to change", async () => {
    const other = await service.organization();
    const path = `/v1/signals/${signals[0]?.id}`;
    const before = (await org.get(path)).headers.etag;
    expect((await other.get(path)).status).toBe(404);
    expect((await other.call('PATCH', path, { body: { note: 'mine now' } })).status).toBe(404);
    expect((await org.get(path)).headers.etag).toBe(before);
  });
});
