import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareDemo } from '../../src/demo/prepare.ts';
import { type ListedSignal, readAll } from '../facts.ts';
import { type CallOptions, startTestService, type TestService } from '../harness.ts';
import { type Assistant, type Content, connect, ways } from './assistants.ts';

let service: TestService;
let assistant: Assistant;
let dir: string;
let facts: Facts;

/** From the API, which the answers of the tools have to agree with. */
type Facts = {
  get: (path: string) => Promise<Content>;
  post: (path: string, body: unknown) => Promise<Content>;
  signal: ListedSignal;
  overlap: ListedSignal;
  byPriority: ListedSignal[];
  records: Content[];
  partner: { id: string; name: string };
};

beforeAll(async () => {
  service = await startTestService();
  dir = await mkdtemp(join(tmpdir(), 'ps-demo-'));
  await prepareDemo(service.db, dir, new Date());
  const key = (await readFile(join(dir, 'demo.key'), 'utf8')).trim();
  assistant = await connect(ways[0], service, key);
  await assistant.client.listTools();
  const call = (method: string, path: string, options: CallOptions = {}) =>
    service.call(method, path, { key, ...options });
  const org = { get: (path: string) => call('GET', path) };
  const byPriority = await readAll<ListedSignal>(org, '/v1/signals?state=new&sort=priority');
  const signal = byPriority.find(({ type }) => type === 'co_sell') as ListedSignal;
  facts = {
    get: async (path) => (await org.get(path)).body.data,
    post: async (path, body) => (await call('POST', path, { body })).body.data,
    signal,
    overlap: byPriority.find(({ type }) => type === 'overlap') as ListedSignal,
    byPriority,
    records: await readAll<Content>(org, '/v1/attribution'),
    partner: signal.partner,
  };
});
afterAll(async () => {
  await assistant?.close();
  await service.close();
  await rm(dir, { recursive: true });
});

type Question = {
  question: string;
  calls: (facts: Facts) => Promise<[tool: string, args: Record<string, unknown>][]>;
  /** What the answers must say. */
  says: (facts: Facts) => Promise<(string | number)[]>;
};

const record = (facts: Facts, which: (record: Content) => boolean) => {
  const found = facts.records.find(which);
  expect(found, 'the demo has such a record').toBeDefined();
  return found;
};
const detail = async (facts: Facts, which: (record: Content) => boolean) =>
  facts.get(`/v1/attribution/${record(facts, which).id}`);
const isTier = (tier: string) => (item: Content) => item.tier === tier && item.status === 'active';
const hasDispute = (status: string) => (item: Content) => item.dispute_status === status;
const quarter = { closed_after: '2000-01-01', closed_before: '2100-01-01' };

const questions: Question[] = [
  {
    question: 'Who can help me on this deal, and why?',
    calls: async ({ signal }) => [['find_partner_for_deal', { deal: signal.opportunity.id }]],
    says: async ({ signal }) => [
      signal.id,
      signal.partner.id,
      signal.partner.name,
      signal.recommended_action,
    ],
  },
  {
    question: 'Who can help me on the deal with this company?',
    calls: async ({ signal }) => [
      ['search', { query: signal.account.name }],
      ['find_partner_for_deal', { deal: signal.opportunity.id }],
    ],
    says: async ({ signal }) => [signal.opportunity.id, signal.partner.id],
  },
  {
    question: 'What should I do first?',
    calls: async () => [['list_signals', {}]],
    says: async ({ byPriority }) => byPriority.slice(0, 5).flatMap(({ id, account }) => [id, account.name]),
  },
  {
    question: 'And after that?',
    calls: async () => [['list_signals', { limit: 6 }]],
    says: async ({ byPriority }) => byPriority.slice(0, 6).map(({ id }) => id),
  },
  {
    question: 'Where is a partner working on one of our deals right now?',
    calls: async () => [['list_signals', { type: 'co_sell' }]],
    says: async ({ byPriority }) =>
      byPriority
        .filter(({ type }) => type === 'co_sell')
        .slice(0, 5)
        .map(({ opportunity }) => opportunity.id),
  },
  {
    question: 'What are we working on?',
    calls: async () => [['list_signals', { state: 'in_progress' }]],
    says: async ({ get }) =>
      (await get('/v1/signals?state=in_progress&sort=priority&limit=5')).map(({ id }: Content) => id),
  },
  {
    question: 'What should I do first with this partner?',
    calls: async ({ partner }) => [['list_signals', { partner: partner.name }]],
    says: async ({ get, partner }) =>
      (await get(`/v1/signals?state=new&sort=priority&limit=5&partner_id=${partner.id}`)).map(
        ({ id }: Content) => id,
      ),
  },
  {
    question: 'Why did this signal fire, and what should I do?',
    calls: async ({ signal }) => [['explain_signal', { signal_id: signal.id }]],
    says: async ({ get, signal }) => {
      const { reasons, activity_log } = await get(`/v1/signals/${signal.id}`);
      return [signal.recommended_action, reasons[0].detail, reasons[0].activity_ids[0], activity_log[0].id];
    },
  },
  {
    question: 'What happened to this signal since?',
    calls: async ({ get }) => [
      ['explain_signal', { signal_id: (await get('/v1/signals?state=handled&limit=1'))[0].id }],
    ],
    says: async ({ get }) => {
      const [{ id }] = await get('/v1/signals?state=handled&limit=1');
      const { history } = await get(`/v1/signals/${id}`);
      return [history.at(-1).changed_at, history.at(-1).changed_by.key_name];
    },
  },
  {
    question: 'What do we know about this account?',
    calls: async ({ signal }) => [['account_context', { account: signal.account.id }]],
    says: async ({ signal }) => [signal.opportunity.id, signal.opportunity.name, signal.id],
  },
  {
    question: 'Which partners know this account?',
    calls: async ({ overlap }) => [['account_context', { account: overlap.account.crm_id }]],
    says: async ({ overlap }) => [overlap.partner.id, overlap.partner.name],
  },
  {
    question: 'How is this partner doing?',
    calls: async ({ partner }) => [['partner_summary', { partner: partner.name }]],
    says: async ({ get, partner }) => {
      const { co_sell_density_score, active_signal_count } = await get(`/v1/partners/${partner.id}`);
      return [
        `"co_sell_density_score":${co_sell_density_score}`,
        `"active_signal_count":${active_signal_count}`,
      ];
    },
  },
  {
    question: 'How much did this partner bring us, by tier?',
    calls: async (facts) => [
      ['partner_summary', { partner: record(facts, isTier('sourced')).partner.id, ...quarter }],
    ],
    says: async (facts) => {
      const { id } = record(facts, isTier('sourced')).partner;
      const { by_tier } = await facts.get(`/v1/attribution/summary?partner_id=${id}`);
      return by_tier.map(({ net_value }: Content) => `"net_value":${net_value}`);
    },
  },
  {
    question: 'What did this partner do last, and where?',
    calls: async ({ partner }) => [['partner_summary', { partner: partner.id }]],
    says: async ({ get, partner }) => {
      const [latest] = await get(`/v1/partners/${partner.id}/activities?limit=1`);
      const [shared] = await get(`/v1/partners/${partner.id}/overlaps?limit=1`);
      return [latest.id, latest.account.name, shared.account.id];
    },
  },
  {
    question: 'Why was this partner credited as the source?',
    calls: async (facts) => {
      const { opportunity, partner } = record(facts, isTier('sourced'));
      return [['explain_credit', { deal: opportunity.id, partner: partner.id }]];
    },
    says: async (facts) => {
      const { id, evidence_log } = await detail(facts, isTier('sourced'));
      const counted = evidence_log.find((line: Content) => line.counted && line.tier_supported === 'sourced');
      return [id, counted.id, counted.reason];
    },
  },
  {
    question: 'Why did this partner get no more than influenced?',
    calls: async (facts) => [['explain_credit', { record_id: record(facts, isTier('influenced')).id }]],
    says: async (facts) => {
      const { tier, evidence_log } = await detail(facts, isTier('influenced'));
      return [`"tier":"${tier}"`, evidence_log.find((line: Content) => line.counted).reason];
    },
  },
  {
    question: 'What is the open dispute about?',
    calls: async (facts) => [['explain_credit', { record_id: record(facts, hasDispute('open')).id }]],
    says: async (facts) => {
      const { dispute_history } = await detail(facts, hasDispute('open'));
      const { justification, claimed_tier, opened_by } = dispute_history.at(-1);
      return [justification, `"claimed_tier":"${claimed_tier}"`, opened_by.key_name];
    },
  },
  {
    question: 'What would a shorter influence window change?',
    calls: async () => [['simulate_policy', { influenced_window_days: 7 }]],
    says: async ({ post }) => {
      const policy = {
        attribution: { sourced: { lookback_days: 180, lock_days: 14 }, influenced: { window_days: 7 } },
        pre_intent: {
          half_life_days: 14,
          threshold: 4,
          weights: { sourced: 3, co_sell: 2, influenced: 1 },
          life_days: 14,
        },
      };
      const { changed, changes } = await post('/v1/attribution/simulate', { policy });
      expect(changed).toBeGreaterThan(0);
      return [`"changed":${changed}`, changes[0].opportunity.id];
    },
  },
  {
    question: 'Which account has this number in our CRM?',
    calls: async ({ overlap }) => [['search', { query: overlap.account.crm_id }]],
    says: async ({ overlap }) => [overlap.account.id, overlap.account.name],
  },
  {
    question: 'Start working on this signal and note that I called.',
    calls: async ({ overlap }) => [
      ['update_signal', { signal_id: overlap.id, state: 'in_progress', note: 'Called the partner.' }],
    ],
    says: async ({ overlap }) => [overlap.id, '"state":"in_progress"', 'Called the partner.', 'an assistant'],
  },
  {
    question: 'We registered this deal: claim that we sourced it.',
    calls: async (facts) => {
      const { id } = record(facts, (item) => isTier('co_sell')(item) && hasDispute('none')(item));
      return [
        ['open_dispute', { record_id: id, claimed_tier: 'sourced', justification: 'We registered it.' }],
      ];
    },
    says: async () => ['"status":"open"', '"tier_at_opening":"co_sell"', 'We registered it.'],
  },
];

test('there are at least twenty questions', () => {
  expect(new Set(questions.map(({ question }) => question)).size).toBeGreaterThanOrEqual(20);
});

describe('a partner manager who asks', () => {
  test.each(questions)('“$question” is answered', async ({ calls, says }) => {
    const asked = await calls(facts);
    expect(asked.length).toBeLessThanOrEqual(2);
    const wanted = await says(facts);
    expect(wanted.length).toBeGreaterThan(0);
    let said = '';
    for (const [tool, args] of asked) {
      const { text, data, isError } = await assistant.call(tool, args);
      expect(isError, text).toBe(false);
      expect(text.length).toBeLessThan(8_000);
      expect(JSON.stringify(data).length).toBeLessThan(8_000);
      expect(Array.isArray(data.evidence_ids)).toBe(true);
      said += text;
    }
    for (const fact of wanted) {
      const text = String(fact);
      expect(said).toContain(text.startsWith('"') ? text : JSON.stringify(text).slice(1, -1));
    }
  });
});
