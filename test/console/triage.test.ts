import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { expectNoBarrier, openConsole, signIn, skipBrowser } from './browser.ts';

type Listed = {
  id: string;
  state: string;
  assignee: { email: string } | null;
  account: { name: string };
  partner: { id: string; name: string };
};

describe.skipIf(skipBrowser)('triage of signals in the console', () => {
  let service: TestService;
  let page: Page;
  let misdeeds: string[];
  let org: TestOrganization;

  openConsole(startTestService, (opened) => {
    ({ service, page, misdeeds } = opened);
  });
  beforeEach(async () => {
    org = await service.organization();
    await loadFacts(org, {
      partners: [{}, { external_id: 'p2', name: 'Second Partner' }],
      accounts: names.map((name, index) => ({ crm_id: `a${index}`, name })),
      opportunities: names.map((_, index) => ({
        crm_id: `o${index}`,
        account_crm_id: `a${index}`,
        value: (index + 1) * 10_000,
        currency: 'EUR',
        owner: { name: 'Ada Lind', email: 'ada@us.example' },
      })),
      activities: names.map((_, index) => ({
        partner_external_id: index === 5 ? 'p2' : 'p1',
        account_crm_id: `a${index}`,
        opportunity_crm_id: `o${index}`,
      })),
    });
  });

  const names = ['Anvil', 'Bellows', 'Chisel', 'Drill', 'Engine', 'Forge'];
  const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);
  const rows = () => page.getByRole('list', { name: /^Signals/ }).getByRole('listitem');
  const shown = async () => await rows().locator('[data-signal]').allTextContents();
  const signals = async () => await readAll<Listed>(org, '/v1/signals');
  const stateOf = async (name: string) =>
    (await signals()).find(({ account }) => account.name === name)?.state;
  const open = (path = '/signals') => signIn(page, `${service.url}/console${path}`, org.key);
  const address = () => Object.fromEntries(new URL(page.url()).searchParams);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };

  test('opens on what is open, by priority, and can be sorted by time', async () => {
    await open();
    const byPriority = (await readAll<Listed>(org, '/v1/signals?sort=priority')).map(
      ({ account }) => account.name,
    );
    await eventually(shown).toEqual(byPriority);
    const [first] = await signals();
    await org.call('PATCH', `/v1/signals/${first?.id}`, { body: { state: 'handled' } });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await eventually(() => rows().count()).toBe(5);
    await page.getByRole('link', { name: 'Newest' }).click();
    await page.getByRole('list', { name: 'Signals, newest first' }).waitFor();
    await eventually(() => rows().count()).toBe(5);
    await page.getByRole('link', { name: /^Handled/ }).click();
    await eventually(shown).toEqual([first?.account.name]);
    await page.getByRole('group', { name: 'State' }).getByRole('link', { name: /^All/ }).click();
    await eventually(() => rows().count()).toBe(6);
  });

  test('five signals are triaged with the keyboard alone', async () => {
    await open();
    await rows().first().waitFor();
    const order = (await shown()) as string[];
    // Start the first, mark the second handled.
    await press('j', 's');
    await page.getByText('1 signal started.').waitFor();
    await press('j', 'h');
    await page.getByText('1 signal marked handled.').waitFor();
    // Dismiss the third as too late.
    await press('j', 'd');
    await page.getByRole('dialog', { name: 'Dismiss this signal' }).waitFor();
    await press('ArrowDown', 'ArrowDown', 'Enter');
    await page.getByText('1 signal dismissed.').waitFor();
    // Select the fourth and the fifth and assign both.
    await press('j', 'x', 'j', 'x', 'a');
    await page.getByRole('dialog', { name: 'Assign 2 signals' }).waitFor();
    await page.keyboard.insertText('Noor Halvorsen');
    await press('Tab');
    await page.keyboard.insertText('noor@us.example');
    await press('Enter');
    await page.getByText('2 signals assigned to Noor Halvorsen.').waitFor();

    const after = await signals();
    const of = (place: number) => after.find(({ account }) => account.name === order[place]);
    expect([0, 1, 2].map((place) => of(place)?.state)).toEqual(['in_progress', 'handled', 'expired']);
    expect([3, 4, 5].map((place) => of(place)?.assignee?.email)).toEqual([
      'noor@us.example',
      'noor@us.example',
      undefined,
    ]);
    const dismissed = await org.get(`/v1/signals/${of(2)?.id}`);
    expect(dismissed.body.data.dismiss_reason).toBe('too_late');
    // The rows stay where they were.
    expect(await shown()).toEqual(order);
    await press('/');
    expect(
      await page.getByLabel('Search accounts').evaluate((field) => field === document.activeElement),
    ).toBe(true);
  });

  test('several are dismissed at once, with what was refused, and undone', async () => {
    await open();
    await rows().first().waitFor();
    // One is in progress, and one ends elsewhere before the change.
    const [started, ended] = (await signals()) as [Listed, Listed];
    await org.call('PATCH', `/v1/signals/${started.id}`, { body: { state: 'in_progress' } });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await rows().getByText('In progress').waitFor();
    await page.getByLabel('Select all').check();
    await page.getByText('6 selected').waitFor();
    await org.call('PATCH', `/v1/signals/${ended.id}`, { body: { state: 'handled' } });
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click();
    const status = page.getByRole('status').filter({ hasText: 'dismissed' });
    await status.getByText('5 signals dismissed. 1 change was refused:').waitFor();
    await status.getByText(`${ended.account.name} with`).waitFor();
    expect((await signals()).filter(({ state }) => state === 'expired')).toHaveLength(5);

    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('5 signals changed back.').waitFor();
    expect(await stateOf(started.account.name)).toBe('in_progress');
    expect((await signals()).filter(({ state }) => state === 'new')).toHaveLength(4);
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  });

  test('finds accounts while you type; Back returns to the page before', async () => {
    await open();
    await page.getByRole('link', { name: 'Partners' }).click();
    await page.getByRole('heading', { name: 'Partners' }).waitFor();
    await page.getByRole('link', { name: 'Signals', exact: true }).click();
    await page.getByLabel('Search accounts').pressSequentially('for');
    await eventually(shown).toEqual(['Forge']);
    expect(address()).toEqual({ q: 'for' });
    await page.reload();
    await eventually(shown).toEqual(['Forge']);
    expect(await page.getByLabel('Search accounts').inputValue()).toBe('for');
    await page.getByLabel('Search accounts').fill('nothing like it');
    await page.getByText('No signals match these filters.').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Partners' }).waitFor();
  });

  test('filters by any partner, by owner, and by me once it knows who I am', async () => {
    await open();
    await rows().first().waitFor();
    await page.getByLabel('Partner', { exact: true }).first().fill('second');
    await page.getByRole('option', { name: 'Second Partner' }).click();
    await eventually(shown).toEqual(['Forge']);
    await page.getByRole('button', { name: 'Show all partners' }).click();
    await eventually(() => rows().count()).toBe(6);

    await page.getByRole('button', { name: 'Mine' }).click();
    const dialog = page.getByRole('dialog', { name: 'Who are you?' });
    await dialog.getByLabel('Name').fill('Ada Lind');
    await dialog.getByLabel('E-mail').fill('ADA@us.example');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No signals match these filters.').waitFor();
    expect(address()).toEqual({ assignee: 'ADA@us.example' });
    await page.getByRole('link', { name: 'Everyone' }).click();
    await press('j', 'a');
    await page.getByRole('dialog').getByRole('button', { name: 'Assign', exact: true }).click();
    await page.getByText('1 signal assigned to Ada Lind.').waitFor();
    const assigned = (await signals()).filter(({ assignee }) => assignee);
    await page.getByRole('link', { name: 'Mine' }).click();
    await eventually(shown).toEqual(assigned.map(({ account }) => account.name));
    const { history } = (await org.get(`/v1/signals/${assigned[0]?.id}`)).body.data;
    expect(history.at(-1).changed_by.actor).toBe('Ada Lind');

    await page.getByText('Someone else').click();
    await page.getByLabel("Owner's e-mail").fill('ada@us.example');
    await page.getByRole('button', { name: 'Apply' }).click();
    await eventually(() => rows().count()).toBe(6);
    expect(address()).toEqual({ owner: 'ada@us.example' });
  });

  test('a view keeps filters under a name, as a URL', async () => {
    await open('/signals?state=handled');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name of the view').fill('Done');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Open', exact: false }).first().click();
    await eventually(() => rows().count()).toBe(6);
    await page.reload();
    const view = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Done' });
    expect(await view.getAttribute('href')).toBe('/console/signals?state=handled');
    await view.click();
    await page.getByText('No signals match these filters.').waitFor();
    await page.getByRole('button', { name: 'Delete view Done' }).click();
    expect(await view.count()).toBe(0);
  });

  test('a dismissed signal is restored from its panel', async () => {
    const [signal] = (await signals()) as [Listed];
    await org.call('PATCH', `/v1/signals/${signal.id}`, {
      body: { state: 'expired', dismiss_reason: 'not_relevant' },
    });
    await open(`/signals/${signal.id}`);
    const panel = page.getByRole('region', { name: 'Signal', exact: true });
    await panel.getByText('not relevant').waitFor();
    await panel.getByRole('button', { name: 'Restore' }).click();
    await panel.getByText('Saved. This signal is now new.').waitFor();
    expect(await stateOf(signal.account.name)).toBe('new');
  });

  test('downloads what the filters show', async () => {
    await open('/signals?q=anvil');
    await eventually(shown).toEqual(['Anvil']);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('signals.csv');
    const chunks: Buffer[] = [];
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
    const lines = Buffer.concat(chunks).toString('utf8').trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('Anvil');
  });

  test('? shows the shortcuts, which can be turned off', async () => {
    await open();
    await rows().first().waitFor();
    await press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Mark handled').waitFor();
    await sheet.getByLabel('Use single-key shortcuts').uncheck();
    await sheet.getByRole('button', { name: 'Close' }).click();
    await press('j');
    expect(await page.evaluate(() => document.activeElement?.hasAttribute('data-signal'))).toBe(false);
  });

  test('a read-only key is offered no change, and told why', async () => {
    const issued = await service.operator('POST', `/admin/v1/organizations/${org.orgId}/keys`, {
      name: 'reader',
      scopes: ['read'],
    });
    await signIn(page, `${service.url}/console/signals`, issued.body.data.key);
    await rows().first().waitFor();
    await page.getByText('Your key is read-only. To change signals,').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await press('j', 'd', 'h', 's', 'x');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect((await signals()).every(({ state }) => state === 'new')).toBe(true);
  });

  test('says when there were too many requests, and keeps the list', async () => {
    await open();
    await rows().first().waitFor();
    await page.route('**/v1/signals/batch', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '60' },
        json: {
          error: { code: 'rate_limited', message: 'Too many requests.', request_id: 'req_1', details: [] },
        },
      }),
    );
    await press('j', 's');
    await page.getByRole('alert').getByText('Too many requests.').waitFor();
    expect(await rows().count()).toBe(6);
    misdeeds.splice(0);
    await page.unroute('**/v1/signals/batch');
    await press('s');
    await page.getByText('1 signal started.').waitFor();
  });

  test('no serious barrier with a selection or a dialog, on any screen', async () => {
    await open('/signals?sort=fired_at');
    await rows().first().waitFor();
    await page.getByLabel('Select all').check();
    await expectNoBarrier(page);
    await page.getByText('Someone else').click();
    await expectNoBarrier(page);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('dialog').waitFor();
    await expectNoBarrier(page);
    await press('Escape');
    await page.getByRole('button', { name: 'Assign' }).click();
    await page.getByRole('dialog').waitFor();
    await expectNoBarrier(page);
  });
});
