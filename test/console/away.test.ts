import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { lookForSuggestions } from '../matches/requests.ts';
import { openConsole, signIn, skipBrowser } from './browser.ts';

describe.skipIf(skipBrowser)('the console while the service is away or busy', () => {
  let service: TestService;
  let page: Page;
  let misdeeds: string[];
  let org: TestOrganization;
  let ids: Record<'account' | 'opportunity' | 'partner' | 'record' | 'signal', string>;
  openConsole(
    async () => {
      service = await startTestService();
      return service;
    },
    (window) => {
      ({ page, misdeeds } = window);
    },
  );
  beforeAll(async () => {
    org = await service.organization();
    const common = { account_crm_id: 'a1', value: 1000, currency: 'EUR' };
    await loadFacts(org, {
      partners: [{}],
      accounts: [{ name: 'Costbrook', domain: null }],
      partner_accounts: [{ name: 'Costbrook Wholesale', domain: null }],
      opportunities: [
        { ...common, name: 'Renewal' },
        { ...common, crm_id: 'won', name: 'First order', status: 'won' },
      ],
      activities: [{ opportunity_crm_id: 'o1' }, { opportunity_crm_id: 'won' }],
    });
    await lookForSuggestions(service, org);
    const first = async (path: string) => (await readAll<{ id: string }>(org, path))[0]?.id ?? '';
    ids = {
      account: await first('/v1/accounts'),
      opportunity: await first('/v1/opportunities?status=open'),
      partner: await first('/v1/partners'),
      record: await first('/v1/attribution'),
      signal: await first('/v1/signals'),
    };
  });

  const at = (path: string) => `${service.url}/console${path}`;
  const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);
  const alerts = () => page.getByRole('alert');
  const loading = () => page.getByRole('status', { name: 'Loading' });
  /** Requests for data, but not for the key. */
  const isData = ({ pathname }: URL) => pathname.startsWith('/v1/') && pathname !== '/v1/me';

  const pages: [name: string, path: () => string, content: string][] = [
    ['Home', () => '/', 'Partner p1'],
    ['Signals', () => '/signals', 'Costbrook'],
    ['an account', () => `/accounts/${ids.account}`, 'First order'],
    ['a deal', () => `/deals/${ids.opportunity}`, 'Met the buyer together'],
    ['Partners', () => '/partners', 'Partner p1'],
    ['Attribution', () => '/attribution', 'First order'],
    ['a partner', () => `/partners/${ids.partner}`, 'First order'],
    ['a record', () => `/attribution/${ids.record}`, 'Why it counted:'],
    ['a signal', () => `/signals/${ids.signal}`, 'Why it fired'],
    ['Policy', () => '/policy', 'Version 1'],
    ['Webhooks', () => '/webhooks', 'There are no webhooks yet.'],
    ['Review', () => '/review', 'Costbrook Wholesale'],
  ];
  const failures: [name: string, message: string, answer: (route: Route) => Promise<void>][] = [
    ['is away', 'The service cannot be reached.', (route) => route.abort()],
    [
      'is asked too often',
      'Too many requests. Try again in 60 seconds.',
      (route) => route.fulfill({ status: 429, headers: { 'retry-after': '60' }, json: tooMany }),
    ],
  ];
  const tooMany = {
    error: {
      code: 'rate_limited',
      message: 'Too many requests. Try again in 60 seconds.',
      request_id: 'req_1',
    },
  };

  test.each(pages)(
    '%s says so, asks a bounded number of times, and recovers as a whole',
    async (_, path, content) => {
      await signIn(page, at('/webhooks/new'), org.key);
      for (const [why, message, answer] of failures) {
        let asked = 0;
        await page.route(isData, async (route) => {
          asked++;
          await answer(route);
        });
        await page.goto(at(path()));
        await alerts().getByText(message).first().waitFor();
        await eventually(() => loading().count()).toBe(0);
        expect(asked, why).toBeLessThanOrEqual(why === 'is away' ? 3 * 8 : 8);
        await page.unroute(isData);
        await alerts().getByRole('button', { name: 'Try again' }).first().click();
        await page.getByText(content).first().waitFor();
        await eventually(() => alerts().count()).toBe(0);
      }
      expect(misdeeds.splice(0).filter((line) => !/429|ERR_FAILED/.test(line))).toEqual([]);
    },
  );

  test('what cannot be loaded after the first page is said below the list, and nothing asks without end', async () => {
    await signIn(page, at('/webhooks'), org.key);
    for (const [path, button] of [
      ['/review', null],
      ['/signals', 'Load more signals'],
    ] as const) {
      let asked = 0;
      const isMore = ({ searchParams }: URL) => searchParams.get('cursor') === 'next';
      await page.route(/\/v1\/(match_suggestions|signals)(\?|$)/, async (route) => {
        const answer = await route.fetch();
        await route.fulfill({
          response: answer,
          json: { ...(await answer.json()), has_more: true, next_cursor: 'next' },
        });
      });
      await page.route(isMore, (route) => {
        asked++;
        return route.fulfill({ status: 429, headers: { 'retry-after': '60' }, json: tooMany });
      });
      await page.goto(at(path));
      if (button) await page.getByRole('button', { name: button }).click();
      await alerts().getByText('Too many requests.').waitFor();
      await page.getByText('Costbrook').first().waitFor();
      await alerts().getByRole('button', { name: 'Try again' }).click();
      await eventually(() => asked).toBe(2);
      await alerts().getByText('Too many requests.').waitFor();
      expect(asked).toBe(2);
      await page.unrouteAll();
    }
    expect(misdeeds.splice(0).filter((line) => !line.includes('429'))).toEqual([]);
  });

  test('a service that stops and comes back finds the session and the page as they were', async () => {
    const own = await startTestService({}, service.databaseUrl);
    const { port } = new URL(own.url);
    const foreign = (line: string) => line.startsWith(own.url);
    await signIn(page, `${own.url}/console/signals`, org.key);
    await page.getByText('Costbrook').first().waitFor();
    await own.close();
    await page.getByRole('link', { name: 'Policy' }).click();
    await alerts().getByText('The service cannot be reached.').first().waitFor();
    const back = await startTestService({ PORT: port }, service.databaseUrl);
    try {
      await alerts().getByRole('button', { name: 'Try again' }).first().click();
      await page.getByText('Version 1', { exact: true }).waitFor();
      await page.reload();
      await page.getByText('Version 1', { exact: true }).waitFor();
    } finally {
      await back.close();
    }
    expect(misdeeds.splice(0).filter((line) => !foreign(line) && !line.includes('ERR_CONNECTION'))).toEqual(
      [],
    );
  });
});
