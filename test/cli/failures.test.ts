import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';
import { type Cli, cliFor, lines } from './cli.ts';

let service: TestService;
let cli: Cli;

beforeAll(async () => {
  service = await startTestService();
  cli = await cliFor(service, (await service.organization({ scopes: ['read'] })).key);
});
afterAll(async () => {
  await cli.close();
  await service.close();
});

/** One line on standard error, and nothing on standard output. */
async function failure(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: unknown; line: string }> {
  const { code, stdout, stderr } = await cli.run(args, { env });
  expect(stdout).toBe('');
  expect(lines(stderr)).toHaveLength(1);
  return { code, line: stderr.trim() };
}

describe('exit codes', () => {
  test('2 for an unknown command, a missing argument, a wrong choice, a wrong number and a missing key', async () => {
    for (const args of [
      ['signals', 'list', '--state', 'done'],
      ['signals', 'show'],
      ['signals', 'set', 'sig_x'],
      ['partners', 'list', '--limit', '0'],
      ['keys', 'create', 'org_x', '--name', 'x', '--scopes', 'read,everything'],
      ['signals', 'list', '--base-url', 'http://localhost:8443'],
    ]) {
      expect(await failure(args), args.join(' ')).toMatchObject({ code: 2 });
    }
    expect(await cli.run(['signal'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean'),
    });
    expect(await failure(['signals', 'list'], { PARTNER_SIGNALS_KEY: '' })).toMatchObject({ code: 2 });
  });

  test('2 for the URL of a page or of the API, with the URL to enter', async () => {
    for (const end of ['/v1', '/console/'])
      expect(await failure(['signals', 'list', '--base-url', `https://localhost:8443${end}`])).toEqual({
        code: 2,
        line: expect.stringMatching(/ Enter the URL of the service only: https:\/\/localhost:8443$/),
      });
  });

  test('4 for something that does not exist, with the ID of the request', async () => {
    expect(await failure(['signals', 'show', 'sig_nothing'])).toEqual({
      code: 4,
      line: expect.stringMatching(/^There is no signal with the ID sig_nothing\. \(request req_\w{26}\)$/),
    });
  });

  test('5 for an invalid key, and for one that lacks a scope, which is named', async () => {
    expect(await failure(['signals', 'list'], { PARTNER_SIGNALS_KEY: 'psk_wrong' })).toEqual({
      code: 5,
      line: expect.stringContaining('--key'),
    });
    expect(await failure(['signals', 'set', 'sig_x', '--note', 'n'])).toEqual({
      code: 5,
      line: expect.stringContaining('write'),
    });
    expect((await failure(['orgs', 'list'], { OPERATOR_KEY: 'not-the-operator' })).code).toBe(5);
  });

  test('a key with a line break at its end works, and one with a line break inside is refused before it is sent', async () => {
    const key = cli.env.PARTNER_SIGNALS_KEY ?? '';
    expect((await cli.run(['signals', 'list'], { env: { PARTNER_SIGNALS_KEY: `${key}\n` } })).code).toBe(0);
    for (const [args, env] of [
      [['signals', 'list'], { PARTNER_SIGNALS_KEY: `psk_1\n${key}` }],
      [['orgs', 'list'], { OPERATOR_KEY: 'two words' }],
    ] as const) {
      const { code, line } = await failure([...args], env);
      expect(code).toBe(2);
      expect(line).toMatch(/^The key in --.* contains a line break, a space/);
    }
    // The parser repeats the value.
    const actor = await cli.run(['signals', 'list', '--actor', 'Ada\nLind']);
    expect([actor.code, actor.stderr]).toEqual([2, expect.stringContaining('Enter one line of text.')]);
  });

  test('serve points from an unknown option to the setting', async () => {
    const { code, stderr } = await cli.run(['serve', '--port', '9443']);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown option '--port'");
    expect(stderr).toContain('PORT=9443');
  });

  test('6 if nothing is listening, or the certificate is not trusted', async () => {
    const free = await freePort();
    expect(await failure(['signals', 'list', '--base-url', `https://localhost:${free}`])).toEqual({
      code: 6,
      line: expect.stringMatching(
        /: nothing is listening there \(ECONNREFUSED\)\. Start the service, or set --base-url, or --data-dir for a local service with another data folder\.$/,
      ),
    });
    expect(await failure(['signals', 'list'], { PARTNER_SIGNALS_CA: '' })).toEqual({
      code: 6,
      line: expect.stringMatching(
        /: its certificate is not trusted \([A-Z_]+\)\. Pass its CA certificate with --ca/,
      ),
    });
  });

  test('1 if the service rejects a change', async () => {
    const { key } = await service.organization();
    const refused = await cli.run(['webhooks', 'create', 'https://127.0.0.1/', '--key', key]);
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('\n  url: must not'),
    });
  });
});

describe('help', () => {
  test('explains the exit codes, and every command has a description and examples', async () => {
    const { code, stdout } = await cli.run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Exit codes:\n  0  success');
    const commands = await allCommands([]);
    expect(commands.length).toBeGreaterThan(40);
    for (const { path, help } of commands) {
      expect(help, path.join(' ')).toMatch(/^Usage: partner-signals .*\n\n[A-Z]/);
      expect(help, path.join(' ')).toMatch(/\nExamples:\n {2}\S/);
    }
  });

  /** Every command with its help, as the help of the commands above it lists them. */
  async function allCommands(path: string[]): Promise<{ path: string[]; help: string }[]> {
    const { stdout: help } = await cli.run([...path, '--help']);
    const names = [...help.matchAll(/^ {2}([a-z]+) (?=.* {2})/gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'help' && name !== 'partner');
    const listed = /^(Commands|Run the service):$/m.test(help) ? names : [];
    const below = await Promise.all(listed.map((name) => allCommands([...path, name])));
    return [{ path, help }, ...below.flat()];
  }

  test('--version is the version of the package', async () => {
    expect((await cli.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('keys of a local service', () => {
  test('are never sent to another host', async () => {
    const dataDir = join(cli.dir, 'own');
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'demo.key'), 'psk_secret');
    const args = ['signals', 'list', '--data-dir', dataDir, '--base-url', 'https://elsewhere.invalid'];
    const { code, line } = await failure(args, { PARTNER_SIGNALS_KEY: '' });
    expect(code).toBe(2);
    expect(line).toContain('No API key found for https://elsewhere.invalid. Set --key');
  });

  test('or a certificate that are missing are told with the options that name them', async () => {
    const none = { PARTNER_SIGNALS_KEY: '' };
    const local = ['signals', 'list', '--base-url', 'https://localhost:8443', '--data-dir', 'nowhere'];
    expect(await failure(local, none)).toEqual({
      code: 2,
      line: expect.stringMatching(
        /there is no file nowhere\/demo\.key\. Set --key .*--data-dir or DATA_DIR /,
      ),
    });
    expect(await failure(['signals', 'list', '--ca', 'absent.pem'])).toEqual({
      code: 2,
      line: expect.stringMatching(/^--ca \(PARTNER_SIGNALS_CA\) must be the PEM file of a CA certificate\. /),
    });
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
