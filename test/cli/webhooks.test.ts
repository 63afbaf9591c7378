import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadLocalCertificate } from '../../src/http/server/local-authority.ts';
import { type Facts, loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { type Cli, cliFor, lines, type Running } from './cli.ts';

const overlap: Facts = { partners: [{}], accounts: [{}], partner_accounts: [{}] };

let authority: string;
let service: TestService;
let receiver: Receiver;
let org: TestOrganization;
let cli: Cli;

beforeAll(async () => {
  receiver = await startReceiver();
  // Trusts the receiver of the tests and `webhooks listen`, which have different CA certificates.
  authority = await mkdtemp(join(tmpdir(), 'ps-cli-ca-'));
  await loadLocalCertificate({ dir: join(authority, 'tls'), now: new Date() });
  const caFile = join(authority, 'all.pem');
  await writeFile(caFile, execFileSync('cat', [receiver.caFile, join(authority, 'tls/ca.pem')]));
  service = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: caFile });
  org = await service.organization();
  cli = await cliFor(service, org.key);
});
afterAll(async () => {
  await cli.close();
  await service.close();
  await receiver.close();
  await rm(authority, { recursive: true, force: true });
});

const webhooks = async (key: string) => (await service.call('GET', '/v1/webhooks', { key })).body.data;

describe('webhooks', () => {
  test('create, list, show, set, test, deliveries, redeliver, rotate and delete', async () => {
    const created = await cli.json(['webhooks', 'create', receiver.url, '--events', 'signal.created']);
    expect(created).toMatchObject({ events: ['signal.created'], secret: expect.stringMatching(/^whsec_/) });
    const { id } = created;

    const tested = await cli.json(['webhooks', 'test', id]);
    expect(tested).toMatchObject({ status: 'delivered', response_code: 200, attempts: 1 });
    expect(receiver.received.at(-1)?.headers['x-webhook-test']).toBe('true');

    const [list, shown, set, deliveries, rotated] = await Promise.all([
      cli.run(['webhooks', 'list']),
      cli.run(['webhooks', 'show', id]),
      cli.json(['webhooks', 'set', id, '--events', 'attribution.created,attribution.updated', '--disable']),
      cli.run(['webhooks', 'deliveries', id]),
      cli.run(['webhooks', 'rotate', id, '--overlap', '60']),
    ]);
    expect(list.stdout).toContain(id);
    expect(shown.stdout).toContain(receiver.url);
    expect(shown.stdout).not.toContain('whsec_');
    expect(set).toMatchObject({ status: 'disabled', events: ['attribution.created', 'attribution.updated'] });
    expect(deliveries.stdout).toMatch(/dlv_\w+ +delivered +1 +200 /);
    expect(rotated.stdout).toMatch(/secret \(shown only once\) +whsec_/);
    const until = /until (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC/.exec(rotated.stderr)?.[1] ?? '';
    const secondsLeft = (Date.parse(`${until.replace(' ', 'T')}Z`) - Date.now()) / 1000;
    expect(secondsLeft).toBeGreaterThan(0);
    expect(secondsLeft).toBeLessThanOrEqual(60);

    const url = `${receiver.url}/moved`;
    const moved = await cli.json(['webhooks', 'set', id, '--url', url, '--enable']);
    expect(moved).toMatchObject({ status: 'enabled', url });
    const [again, span, spanless] = await Promise.all([
      cli.run(['webhooks', 'redeliver', tested.id]),
      cli.json(['webhooks', 'redeliver', id, '--since', '1h', '--only', 'all']),
      cli.run(['webhooks', 'redeliver', id]),
    ]);
    expect(again.stdout).toContain(tested.id);
    expect(span).toEqual({ queued: 0 });
    expect(spanless).toMatchObject({ code: 2, stderr: expect.stringContaining('--since') });

    expect(await cli.run(['webhooks', 'delete', id])).toMatchObject({ code: 2 });
    expect(await cli.run(['webhooks', 'delete', id, '--yes'])).toMatchObject({ code: 0 });
    expect(await webhooks(org.key)).toEqual([]);
  });

  test.skipIf(!hasScript())('remove asks in a terminal, and anything but yes changes nothing', async () => {
    const { key } = await service.organization();
    const { id } = await cli.json(['webhooks', 'create', receiver.url, '--key', key]);
    const ask = async (answer: string) => {
      const child = spawn(
        'script',
        ['-qec', cli.commandLine(['webhooks', 'delete', id, '--key', key]), '/dev/null'],
        {
          cwd: cli.dir,
          env: cli.env,
        },
      );
      let seen = '';
      child.stdout.on('data', (chunk) => {
        const asked = seen.includes('[y/N]');
        seen += chunk;
        if (!asked && seen.includes('[y/N]')) child.stdin.write(`${answer}\r`);
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      return { code, seen };
    };
    expect(await ask('no')).toMatchObject({ code: 1, seen: expect.stringContaining('Nothing changed.') });
    expect(await webhooks(key)).toHaveLength(1);
    expect(await ask('y')).toMatchObject({ code: 0 });
    expect(await webhooks(key)).toEqual([]);
  });
});

describe('webhooks listen', () => {
  async function listen(key: string, args: string[] = []): Promise<Running> {
    const running = cli.start(['webhooks', 'listen', '--data-dir', authority, '--key', key, ...args]);
    await expect.poll(running.stderr).toContain('A sample arrived');
    return running;
  }

  test('prints a verified delivery, answers 200, and removes its registration when it is interrupted', async () => {
    const own = await service.organization();
    const running = await listen(own.key);
    const [webhook] = await webhooks(own.key);
    await loadFacts(own, overlap);
    await expect.poll(running.stdout).toContain('\n');
    expect(running.stdout()).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}signal\.created {2}sig_\w+ {2}overlap, new {2}Partner p1 → Account a1\n$/,
    );
    await expect
      .poll(async () => {
        const { body } = await own.get(`/v1/webhooks/${webhook.id}/deliveries`);
        return body.data.map((one: { response_code: number }) => one.response_code);
      })
      .toEqual([200, 200]);
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`Deleted ${webhook.id}.`),
    });
    expect(await webhooks(own.key)).toEqual([]);
  });

  test('prints JSON for programs, sends each delivery on, and answers as its receiver does', async () => {
    const own = await service.organization();
    const forwarded: IncomingMessage[] = [];
    const target = createServer((request, response) => {
      forwarded.push(request);
      response.writeHead(202).end();
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const to = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook`;
    const running = await listen(own.key, ['--json', '--forward-to', to]);
    await loadFacts(own, overlap);
    await expect.poll(() => forwarded.length).toBe(1);
    expect(JSON.parse(running.stdout())).toMatchObject({
      id: forwarded[0]?.headers['webhook-id'],
      event: 'signal.created',
      test: false,
      data: { type: 'overlap', account: { name: 'Account a1' } },
    });
    const [webhook] = await webhooks(own.key);
    await expect
      .poll(async () => (await own.get(`/v1/webhooks/${webhook.id}/deliveries`)).body.data[0].response_code)
      .toBe(202);
    running.child.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
    target.close();
  });

  test('answers 400 to what is not signed with its secret, and prints nothing of it', async () => {
    const running = cli.start(['webhooks', 'listen', '--no-register', '--data-dir', authority]);
    await expect.poll(running.stderr).toMatch(/secret {5}whsec_\S+\n/);
    const url = /url {8}(\S+)/.exec(running.stderr())?.[1] ?? '';
    const status = await new Promise((resolve, reject) => {
      request(url, { method: 'POST', rejectUnauthorized: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end('{"event":"signal.created","data":{},"timestamp":"x","signature":"sha256=00"}');
    });
    expect(status).toBe(400);
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('Rejected'),
    });
  });

  test('creates its own CA certificate if there is no local service, and names it', async () => {
    const running = cli.start(['webhooks', 'listen', '--no-register']);
    const caFile = join(cli.dir, '.partner-signals/tls/ca.pem');
    await expect.poll(running.stderr).toContain(`WEBHOOK_CA_FILE=${caFile}`);
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(0);
  });

  test('names the settings that a service without private addresses needs, and no more of them', async () => {
    const strict = await startTestService();
    const strictCli = await cliFor(strict, (await strict.organization()).key);
    // The data folder of the service has its CA certificate, which it trusts; any other one has to be configured.
    const local = await strictCli.run(['webhooks', 'listen', '--data-dir', authority]);
    expect([local.code, local.stdout, lines(local.stderr).length]).toEqual([1, '', 1]);
    expect(local.stderr).toContain('WEBHOOK_ALLOW_PRIVATE=true, or use --no-register');
    expect(local.stderr).not.toContain('WEBHOOK_CA_FILE');
    const other = await strictCli.run(['webhooks', 'listen']);
    const caFile = join(strictCli.dir, '.partner-signals/tls/ca.pem');
    expect(other.stderr).toContain(`WEBHOOK_ALLOW_PRIVATE=true and WEBHOOK_CA_FILE=${caFile}, or`);
    await strictCli.close();
    await strict.close();
  });
});

function hasScript(): boolean {
  try {
    return execFileSync('script', ['--version']).toString().includes('util-linux');
  } catch {
    return false;
  }
}
