import { expect, test } from 'vitest';
import { createUrlCheck, isBadPort } from './webhook-url.ts';

const check = createUrlCheck({ allowPrivate: true });

test('the ports that are refused are those that fetch refuses, and port 0', async () => {
  const refused = Array.from({ length: 65_536 }, (_, port) => String(port)).filter(isBadPort);
  expect(refused).toHaveLength(83);
  for (const port of refused.filter((port) => port !== '0'))
    await expect(fetch(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({
      cause: { message: 'bad port' },
    });
});

test.each(['', ':443', ':80', ':3000', ':8080', ':8443', ':9443', ':65535'])(
  'a receiver at port "%s" is accepted',
  async (port) => {
    expect(await check(`https://receiver.example${port}/hooks`)).toBeNull();
  },
);

test('what is wrong with a port is said with its number', async () => {
  expect(await check('https://example.com:22')).toBe(
    'must not use port 22, which belongs to another protocol',
  );
});

test.each([
  ['https://hooks.slack.com/services/T000/B000/XXXX', 'Slack'],
  ['https://HOOKS.slack.com./services/T000/B000/XXXX', 'Slack'],
  ['https://discord.com/api/webhooks/1/token', 'Discord'],
  ['https://discordapp.com/api/v10/webhooks/1/token', 'Discord'],
  ['https://contoso.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4', 'Microsoft Teams'],
])('%s is refused, because %s would refuse every event', async (url, name) => {
  expect(await check(url)).toBe(
    `must not be an incoming webhook of ${name}, which accepts only its own messages; use a receiver of yours that turns events into such messages`,
  );
});

test.each([
  'https://prod-01.westeurope.logic.azure.com/workflows/1/triggers/manual/paths/invoke',
  'https://default1.2.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/1',
  'https://hooks.slack.com/workflows/T000/A000/1/XXXX',
  'https://hooks.slack.com.receiver.example/services/',
  'https://receiver.example/hooks.slack.com/services/',
  'https://discord.com/hooks',
  'https://webhook.office.com.receiver.example/',
])('%s is accepted', async (url) => {
  expect(await check(url)).toBeNull();
});

test('what to set for a receiver on this machine is said', async () => {
  const guarded = createUrlCheck({ allowPrivate: false });
  for (const url of ['https://localhost:9443/', 'https://127.0.0.1/', 'https://10.0.0.1/'])
    expect(await guarded(url)).toContain('WEBHOOK_ALLOW_PRIVATE=true');
});
