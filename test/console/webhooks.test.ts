import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Received, type Receiver, startReceiver } from '../receiver.ts';
import { expectNoBarrier, openConsole, signIn, skipBrowser } from './browser.ts';

describe.skipIf(skipBrowser)('webhooks in the console', () => {
  let receiver: Receiver;
  let service: TestService;
  let page: Page;
  let misdeeds: string[];

  openConsole(
    async () => {
      receiver = await startReceiver();
      service = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: receiver.caFile });
      return service;
    },
    (window) => {
      ({ page, misdeeds } = window);
    },
  );
  afterAll(() => receiver?.close());
  beforeEach(() => {
    receiver.reply = () => ({ status: 200, body: 'thank you' });
  });

  /** Opens a webhook of its own path at the receiver, registered through the API. */
  async function openWebhook(path: string): Promise<TestOrganization & { id: string }> {
    const org = await service.organization();
    const body = {
      url: `${receiver.url}${path}`,
      events: ['signal.created'],
      secret: 'a-secret-of-the-tests',
    };
    const { id } = (await org.call('POST', '/v1/webhooks', { body })).body.data;
    await signIn(page, `${service.url}/console/webhooks/${id}`, org.key);
    await page.getByRole('heading', { name: body.url }).waitFor();
    return { ...org, id };
  }

  /** Makes one signal, and so one signal.created. */
  const fire = (org: TestOrganization) =>
    loadFacts(org, { partners: [{}], accounts: [{}], partner_accounts: [{}] });

  const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);
  const at = (path: string) => receiver.received.filter((one) => one.path === path);
  function only(path: string): Received {
    const [one] = at(path);
    if (!one) throw new Error(`nothing arrived at ${path}`);
    return one;
  }
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const deliveries = () =>
    section('Deliveries')
      .getByRole('row')
      .filter({ has: page.getByRole('button') });

  test('registers a webhook: bad fields say what is wrong with them, and a secret that is made is shown once', async () => {
    const org = await service.organization();
    await signIn(page, `${service.url}/console/webhooks`, org.key);
    await page.getByText('There are no webhooks yet.').waitFor();
    await page.getByRole('link', { name: 'Add webhook' }).click();
    await page.getByLabel('URL').fill('http://receiver.invalid');
    await page.getByLabel('Secret', { exact: true }).fill('short');
    for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
    await button('Add webhook').click();
    await page.getByText('Enter 8 to 256 printable ASCII characters without spaces.').waitFor();
    await page.getByText('Choose at least one event.').waitFor();
    expect(await page.getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    expect(misdeeds.splice(0)).toEqual([expect.stringContaining('400')]);

    await page.getByLabel('URL').fill(`${receiver.url}/registered`);
    await page.getByLabel('Secret', { exact: true }).fill('');
    await page.getByRole('checkbox', { name: 'A signal fires' }).check();
    await button('Add webhook').click();
    await page.getByRole('heading', { name: 'Webhook added' }).waitFor();
    await page.getByText('You cannot see it again.').waitFor();
    const secret = await page.getByLabel('Generated secret').inputValue();
    expect(secret).toMatch(/^whsec_/);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button('Copy').click();
    await button('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);

    await page.getByRole('link', { name: 'open the webhook' }).click();
    await button('Send test').click();
    await eventually(() => at('/registered').length).toBe(1);
    const { body, headers } = only('/registered');
    expect(headers['x-webhook-test']).toBe('true');
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
    await deliveries().getByText('Delivered').waitFor();
    await page.reload();
    await deliveries().getByText('Delivered').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await page.title()).toContain(new URL(receiver.url).host);
  });

  test('an event that arrives is in the log with its answer, and goes out again when asked for', async () => {
    receiver.reply = () => ({ status: 503, body: 'The queue is full' });
    const org = await openWebhook('/events');
    await section('Deliveries').getByText('No deliveries yet.').waitFor();
    await fire(org);
    await eventually(() => at('/events').length).toBe(1);
    await eventually(
      async () => (await org.get(`/v1/webhooks/${org.id}/deliveries`)).body.data[0].attempts,
    ).toBe(1);
    await button('Refresh').click();
    await deliveries().getByText('503').waitFor();
    const failed = await deliveries().innerText();
    expect(failed).toMatch(/Pending.*evt_.*HTTP 503 in \d+ ms.*1 attempt.*Next: \d/s);
    await deliveries().getByText('Response body').click();
    await deliveries().getByText('The queue is full').waitFor();

    receiver.reply = () => ({ status: 200 });
    await deliveries().getByRole('button', { name: 'Redeliver' }).click();
    await section('Deliveries').getByText('Redelivery queued.').waitFor();
    await eventually(() => at('/events').length).toBe(2);
    await deliveries().getByText('Delivered').waitFor();
    expect(at('/events')[1]?.body).toBe(at('/events')[0]?.body);
  });

  test('what a disabled webhook missed is redelivered once it is enabled', async () => {
    const org = await openWebhook('/missed');
    await button('Disable').click();
    await page.getByText('This webhook is disabled and receives nothing.').waitFor();
    await fire(org);
    await button('Redeliver').click();
    await page.getByRole('alert').getByText('This webhook is disabled.').waitFor();
    expect(misdeeds.splice(0)).toEqual([expect.stringContaining('409')]);

    await button('Enable').click();
    await button('Send test').waitFor();
    const span = section('Redeliver events');
    const until = await span.getByLabel('To', { exact: true }).inputValue();
    await span.getByLabel('To', { exact: true }).fill('2020-01-01T00:00');
    await span.getByRole('radio', { name: 'events from a time when the webhook was disabled' }).check();
    await button('Redeliver').click();
    await span.getByText('Enter a date and time after From.').waitFor();
    expect(misdeeds.splice(0)).toEqual([expect.stringContaining('400')]);
    await span.getByLabel('To', { exact: true }).fill(until);
    await button('Redeliver').click();
    await span.getByText('1 delivery queued.').waitFor();
    await eventually(() => at('/missed').length).toBe(1);
    await deliveries().getByText('Delivered').waitFor();
  });

  test('a rotated secret is shown once, and both are valid for the time chosen', async () => {
    await openWebhook('/rotated');
    await section('Secret').getByLabel('Keep the current secret valid for').selectOption('1 hour');
    await button('Rotate secret').click();
    const secret = await page.getByLabel('Generated secret').inputValue();
    await button('Send test').click();
    await eventually(() => at('/rotated').length).toBe(1);
    const { body, headers } = only('/rotated');
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
    await deliveries().getByText('Delivered').waitFor();
  });

  test('is deleted only after a question', async () => {
    const org = await openWebhook('/deleted');
    await button('Delete…').click();
    await page.getByRole('dialog', { name: 'Delete this webhook?' }).waitFor();
    await page.keyboard.press('Enter');
    await eventually(() => page.getByRole('dialog').count()).toBe(0);
    expect((await org.get(`/v1/webhooks/${org.id}`)).status).toBe(200);
    await button('Delete…').click();
    await button('Delete webhook').click();
    await page.getByText('There are no webhooks yet.').waitFor();
    expect((await org.get(`/v1/webhooks/${org.id}`)).status).toBe(404);
  });

  test('a read-only key sees that it cannot change webhooks, without trying', async () => {
    const { id, orgId } = await openWebhook('/read-only');
    await button('Send test').click();
    await deliveries().getByText('Delivered').waitFor();
    const issued = await service.operator('POST', `/admin/v1/organizations/${orgId}/keys`, {
      name: 'reader',
      scopes: ['read'],
    });
    await button('Sign out').click();
    await signIn(page, `${service.url}/console/webhooks/${id}`, issued.body.data.key);
    await page.getByText('Your key is read-only. To test or change webhooks').waitFor();
    await deliveries().getByText('Delivered').waitFor();
    for (const name of [
      'Send test',
      'Disable',
      'Delete…',
      'Redeliver',
      'Redeliver test event',
      'Rotate secret',
    ])
      expect(await button(name).isDisabled(), name).toBe(true);
    await page.getByRole('link', { name: 'Webhooks' }).first().click();
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('link', { name: 'Add webhook' }).count()).toBe(0);
    await page.goto(`${service.url}/console/webhooks/new`);
    await page.getByText('Your key is read-only. To add webhooks').waitFor();
    expect(await button('Add webhook').isDisabled()).toBe(true);
  });

  test('no page has a serious barrier or is wider than the screen, in light and dark, on large and small', async () => {
    await openWebhook(`/${'a-very-long-path-'.repeat(12)}`);
    await button('Send test').click();
    await deliveries().getByText('Delivered').waitFor();
    await deliveries().getByText('Response body').click();
    await button('Disable').click();
    await button('Enable').waitFor();
    await expectNoBarrier(page);
    await button('Delete…').click();
    await expectNoBarrier(page);
    await button('Cancel').click();
    await page.getByRole('link', { name: 'Webhooks' }).first().click();
    await page.getByRole('table').waitFor();
    await expectNoBarrier(page);
    await page.getByRole('link', { name: 'Add webhook' }).click();
    await page.getByLabel('URL').waitFor();
    await expectNoBarrier(page);
  });
});
