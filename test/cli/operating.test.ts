import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';
import { type Cli, cliFor, lines } from './cli.ts';

let service: TestService;
let cli: Cli;

beforeAll(async () => {
  service = await startTestService();
  cli = await cliFor(service);
});
afterAll(async () => {
  await cli.close();
  await service.close();
});

describe('organizations', () => {
  test('create, list, show and set', async () => {
    const made = await cli.json(['orgs', 'create', 'Acme', '--plan', 'enterprise']);
    expect(made).toMatchObject({ name: 'Acme', plan: 'enterprise' });
    const quiet = await cli.run(['orgs', 'create', 'Second', '--quiet']);
    expect(quiet).toMatchObject({ code: 0, stdout: expect.stringMatching(/^org_\w{26}\n$/), stderr: '' });
    const changed = await cli.run(['orgs', 'set', made.id, '--name', 'Acme Ltd', '--plan', 'standard']);
    expect(changed.stdout).toMatch(/name +Acme Ltd\nplan +standard\n/);
    const [list, shown] = await Promise.all([
      cli.run(['orgs', 'list', '--json']),
      cli.run(['orgs', 'show', made.id]),
    ]);
    expect(lines(list.stdout).map((line) => JSON.parse(line).name)).toEqual(['Second', 'Acme Ltd']);
    expect(shown.stdout).toContain(made.id);
  });

  test('the settings that show prints are the settings that set takes', async () => {
    const { orgId } = await service.organization();
    const shown = await cli.run(['orgs', 'settings', 'show', orgId]);
    expect(shown.stderr).toContain('Version 1');
    const settings = JSON.parse(shown.stdout);
    settings.signals.quiet_days = 21;
    await writeFile(join(cli.dir, 'settings.json'), JSON.stringify(settings));
    const set = await cli.run(['orgs', 'settings', 'set', orgId, '--file', 'settings.json']);
    const single = await cli.run(['settings', 'set', 'reporting_currency=EUR']);
    expect([single.code, single.stderr]).toEqual([
      2,
      expect.stringContaining('partner-signals settings set --file settings.json'),
    ]);
    expect(set.stdout).toContain('version 2');
    const version = await cli.run(['orgs', 'settings', 'show', orgId, '--json']);
    expect(JSON.parse(version.stdout)).toMatchObject({
      version: 2,
      settings: { signals: { quiet_days: 21 } },
    });
    const again = await cli.run(['orgs', 'settings', 'set', orgId, '--file', '-'], { input: version.stdout });
    expect(again.code).toBe(0);
  });

  test('every invalid field is named on its own line', async () => {
    const { orgId } = await service.organization();
    const { settings } = await cli.json(['orgs', 'settings', 'show', orgId]);
    settings.signals.quiet_days = 0;
    settings.density.window_days = 'many';
    const refused = await cli.run(['orgs', 'settings', 'set', orgId, '--file', '-'], {
      input: JSON.stringify(settings),
    });
    expect(refused.code).toBe(1);
    expect(refused.stdout).toBe('');
    const [first, ...fields] = lines(refused.stderr);
    expect(first).toMatch(/^The service rejected the request: \(request req_\w{26}\)$/);
    expect(fields.map((line) => line.trim().split(':')[0]).sort()).toEqual([
      'density.window_days',
      'signals.quiet_days',
    ]);
  });
});

describe('keys', () => {
  test('--quiet prints the new key and nothing else, and it works', async () => {
    const { orgId } = await service.organization();
    const made = await cli.run(['keys', 'create', orgId, '--name', 'reader', '--scopes', 'read', '--quiet']);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^psk_\w{38}\n$/), stderr: '' });
    const key = made.stdout.trim();
    expect((await service.call('GET', '/v1/signals', { key })).status).toBe(200);
    expect((await service.call('POST', '/ingest/v1/partners', { key, body: [] })).status).toBe(403);
  });

  test('create takes scopes and an expiry, list shows them, and nothing of the key', async () => {
    const { orgId } = await service.organization();
    const made = await cli.json([
      ...['keys', 'create', orgId, '--name', 'pipeline', '--scopes', 'write,ingest', '--expires', '30d'],
    ]);
    expect(made.scopes).toEqual(['write', 'ingest']);
    expect(Date.parse(made.expires_at) - Date.now()).toBeGreaterThan(29.9 * 86_400_000);
    const list = await cli.run(['keys', 'list', orgId]);
    expect(list.stdout).toMatch(new RegExp(`${made.id} +pipeline +write,ingest +never +\\d{4}-`));
    expect(list.stdout).not.toContain('psk_');
  });

  test('revoke needs --yes without a terminal, and then the key is rejected', async () => {
    const { orgId, keyId, key } = await service.organization();
    const asked = await cli.run(['keys', 'revoke', orgId, keyId]);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('Add --yes');
    expect((await service.call('GET', '/v1/signals', { key })).status).toBe(200);
    expect(await cli.run(['keys', 'revoke', orgId, keyId, '--yes'])).toMatchObject({ code: 0, stdout: '' });
    await expect.poll(async () => (await service.call('GET', '/v1/signals', { key })).status).toBe(401);
  });
});

describe('demo', () => {
  test('creates an organization of the requested size, with a key that can read it', async () => {
    const made = await cli.json([
      ...['demo', '--partners', '3', '--accounts', '20', '--opportunities', '10', '--activities', '60'],
    ]);
    const { stdout } = await cli.run(['partners', 'list', '--json'], {
      env: { PARTNER_SIGNALS_KEY: made.key },
    });
    expect(lines(stdout)).toHaveLength(3);
    const signals = await cli.run(['signals', 'list'], { env: { PARTNER_SIGNALS_KEY: made.key } });
    expect(lines(signals.stdout).length).toBeGreaterThan(1);
  });
});

test('audit shows what operators did, newest first', async () => {
  const made = await cli.json(['orgs', 'create', 'Audited']);
  const shown = await cli.run(['audit', '--limit', '5']);
  expect(shown.stdout).toMatch(/operator .*201 +POST \/admin\/v1\/organizations\n/);
  const ids = await cli.run(['orgs', 'list', '--limit', '1', '--quiet']);
  expect(ids).toMatchObject({ code: 0, stdout: `${made.id}\n`, stderr: '' });
});
