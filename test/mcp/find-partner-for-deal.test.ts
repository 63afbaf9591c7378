import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultSettings } from '../../src/contract/settings.ts';
import { daysAgo, type ListedSignal, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestService } from '../harness.ts';
import { type Content, connect, ways } from './assistants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('partners come by the priority of their best signal, then by newest activity, then by match confidence', async () => {
  const org = await service.organization();
  // Only the tier of the partner counts: an overlap can come before a co-sell signal.
  const weights = Object.fromEntries(Object.keys(defaultSettings.priority.weights).map((part) => [part, 0]));
  const settings = { ...defaultSettings, priority: { weights: { ...weights, partner_tier: 1 } } };
  const saved = await org.call('PUT', '/v1/settings', { body: settings, headers: { 'if-match': '*' } });
  expect(saved.status, saved.text).toBe(200);
  const touch = (partner_external_id: string, days: number) => ({
    partner_external_id,
    kind: 'content_touch' as const,
    occurred_at: daysAgo(days),
  });
  await loadFacts(org, {
    partners: [
      { external_id: 'weak-match', tier: 1 },
      { external_id: 'strong-match', tier: 1 },
      { external_id: 'early-touch', tier: 1 },
      { external_id: 'late-touch', tier: 1 },
      { external_id: 'works-on-it', tier: 4 },
      { external_id: 'works-too', tier: 3 },
      { external_id: 'knows-it', tier: 1 },
    ],
    accounts: [{ name: 'Harbour Mills', country: 'NO' }],
    opportunities: [{ name: 'Harbour Mills renewal' }],
    partner_accounts: [
      { partner_external_id: 'knows-it' },
      { partner_external_id: 'strong-match' },
      {
        partner_external_id: 'weak-match',
        name: 'Harbour Mills',
        country: 'NO',
        domain: 'elsewhere.example',
      },
    ],
    activities: [
      touch('early-touch', 5),
      touch('late-touch', 3),
      { partner_external_id: 'works-on-it', occurred_at: daysAgo(0) },
      { partner_external_id: 'works-too', occurred_at: daysAgo(2) },
    ],
  });
  const signals = await readAll<ListedSignal>(org, '/v1/signals?sort=priority');
  expect(signals.find(({ partner }) => partner.name === 'Partner works-on-it')?.priority).toBe(0);
  for (const { id, partner } of signals.filter(({ partner }) => partner.name.endsWith('-match')))
    expect(
      (await org.call('PATCH', `/v1/signals/${id}`, { body: { state: 'expired' } })).status,
      partner.name,
    ).toBe(200);

  const assistant = await connect(ways[0], service, org.key);
  const { data } = await assistant.call('find_partner_for_deal', {
    deal: 'Harbour Mills renewal',
    limit: 20,
  });
  expect(
    data.partners.map(({ partner, signals, shares_account }: Content) => [
      partner.name.untrusted_text.slice('Partner '.length),
      signals.map(({ type, priority }: Content) => [type, priority]),
      shares_account?.confidence,
    ]),
  ).toEqual([
    ['knows-it', [['overlap', 100]], 0.95],
    ['works-too', [['co_sell', 33]], undefined],
    ['works-on-it', [['co_sell', 0]], undefined],
    ['late-touch', [], undefined],
    ['early-touch', [], undefined],
    ['strong-match', [], 0.95],
    ['weak-match', [], 0.7],
  ]);
  await assistant.close();
});
