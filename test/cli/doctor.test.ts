import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadLocalCertificate } from '../../src/http/server/local-authority.ts';
import { mountDisk, skipDisk, unmountDisk } from '../disk.ts';
import { loadFacts } from '../facts.ts';
import { sharedEnv, startTestService, type TestService } from '../harness.ts';
import { skipRedis, startRedis } from '../redis.ts';
import { type Cli, cliFor, lines } from './cli.ts';

type Finding = { check: string; status: 'ok' | 'warn' | 'fail'; message: string; advice?: string };

let service: TestService;
let cli: Cli;
let dataDir: string;

beforeAll(async () => {
  service = await startTestService();
  cli = await cliFor(service, (await service.organization()).key);
  dataDir = join(cli.dir, 'data');
  await loadLocalCertificate({ dir: join(dataDir, 'tls'), now: new Date() });
  await writeFile(join(dataDir, 'demo.key'), 'psk_demo\n', { mode: 0o600 });
});
afterAll(async () => {
  await cli.close();
  await service.close();
});

async function examine(env: Record<string, string>, args: string[] = []) {
  const { code, stdout, stderr } = await cli.run(['doctor', '--json', ...args], { env });
  const findings = lines(stdout).map((line): Finding => JSON.parse(line));
  const of = (check: string) => findings.filter((finding) => finding.check === check);
  return { code, stderr, findings, of };
}

describe('doctor', () => {
  test('finds nothing wrong with a healthy service, and says what it checked', async () => {
    const env = sharedEnv(service.databaseUrl);
    const [people, programs] = await Promise.all([cli.run(['doctor'], { env }), examine(env)]);
    expect(people).toMatchObject({ code: 0, stderr: '' });
    expect(people.stdout).toMatch(/^ok {4}node {12}\d+\.\d+\.\d+\n/);
    expect(programs.of('key')).toMatchObject([
      { message: expect.stringMatching(/^valid for .+, scopes: admin, ingest$/) },
    ]);
    expect(programs.code).toBe(0);
    expect(programs.findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(new Set(programs.findings.map(({ check }) => check))).toEqual(
      new Set([
        ...['node', 'settings', 'data folder', 'secrets', 'disk', 'database', 'migrations', 'database clock'],
        ...['certificate', 'service', 'served', 'service clock', 'readiness', 'key', 'operator key'],
      ]),
    );
  });

  test.skipIf(skipDisk)(
    'fails on a disk on which the service would reject changes, and not before',
    async () => {
      const folder = join(cli.dir, 'small');
      await mkdir(folder);
      for (const [size, expected] of [
        ['255m', { status: 'fail', message: '255 MiB free' }],
        ['300m', { status: 'warn', message: '300 MiB free' }],
      ] as const) {
        mountDisk(folder, size);
        try {
          const { of } = await examine({ DATA_DIR: folder });
          expect(of('disk')).toMatchObject([expected]);
        } finally {
          unmountDisk(folder);
        }
      }
    },
  );

  test('with --counts proves that the counts agree with the signals, or names what does not', async () => {
    const env = sharedEnv(service.databaseUrl);
    const org = await service.organization();
    await loadFacts(org, { partners: [{}], accounts: [{}], partner_accounts: [{}] });
    const right = await examine(env, ['--counts']);
    expect(right.of('signal counts')).toMatchObject([{ status: 'ok' }]);
    const spoil = (count: number) =>
      service.pool.query('update signal_counts set count = count + $2 where org_id = $1', [org.orgId, count]);
    await spoil(1);
    const wrong = await examine(env, ['--counts']);
    expect(wrong.code).toBe(1);
    const message = new RegExp(`${org.orgId} prt_\\w+ overlap new: counted 2, found 1`);
    expect(wrong.of('signal counts')).toMatchObject([
      { status: 'fail', message: expect.stringMatching(message) },
    ]);
    await spoil(-1);
  });

  test('fails with 1 if something is wrong, and each failure says what to do', async () => {
    const bad = join(cli.dir, 'bad');
    await loadLocalCertificate({ dir: join(bad, 'tls'), now: new Date() });
    const other = await loadLocalCertificate({ dir: join(cli.dir, 'other'), now: new Date() });
    await writeFile(join(bad, 'tls/server-key.pem'), other.key);
    await writeFile(join(bad, 'operator.key'), 'secret\n');
    await chmod(join(bad, 'operator.key'), 0o644);

    const { code, stderr, findings, of } = await examine(
      {
        ...sharedEnv('postgresql://nobody@127.0.0.1:1/none'),
        DATA_DIR: bad,
        REDIS_URL: 'redis://:hidden@127.0.0.1:1',
        PARTNER_SIGNALS_KEY: 'psk_wrong',
      },
      ['--operator-key', 'not-the-operator'],
    );
    expect(code).toBe(1);
    expect(stderr).toContain('checks failed');
    expect(of('secrets')).toContainEqual(
      expect.objectContaining({ status: 'fail', message: expect.stringContaining('operator.key') }),
    );
    for (const check of ['database', 'redis', 'certificate', 'key', 'operator key'])
      expect(of(check), check).toMatchObject([{ status: 'fail' }]);
    for (const finding of findings.filter(({ status }) => status === 'fail'))
      expect(finding.advice, finding.check).toBeTruthy();
    expect(JSON.stringify(findings)).not.toContain('hidden');
  });

  test('names an invalid setting, and still checks the service', async () => {
    const { code, of } = await examine({ PORT: 'many' });
    expect(code).toBe(1);
    expect(of('settings')).toMatchObject([
      { status: 'fail', message: expect.stringContaining('PORT must be') },
    ]);
    expect(of('service')).toMatchObject([{ status: 'ok' }]);
  });

  test('distinguishes an untrusted certificate from an unreachable service, and warns about a missing key', async () => {
    const [untrusted, away, keyless] = await Promise.all([
      examine({ PARTNER_SIGNALS_CA: '', DATA_DIR: join(cli.dir, 'none') }),
      examine({}, ['--base-url', 'https://127.0.0.1:1']),
      examine({ PARTNER_SIGNALS_KEY: '', DATA_DIR: join(cli.dir, 'none') }),
    ]);
    expect(untrusted.of('service')).toMatchObject([
      {
        status: 'fail',
        message: expect.stringContaining('certificate is not trusted'),
        advice: expect.stringContaining('--ca'),
      },
    ]);
    expect(away.of('service')).toMatchObject([
      { status: 'fail', advice: expect.stringContaining('--base-url') },
    ]);
    expect(keyless.of('key')).toMatchObject([{ status: 'warn' }]);
    expect([untrusted.code, away.code, keyless.code]).toEqual([1, 1, 0]);
  });

  test('says that a key without the scope read is valid but cannot read', async () => {
    const { key } = await service.organization({ scopes: ['ingest'] });
    const { of } = await examine({ PARTNER_SIGNALS_KEY: key });
    expect(of('key')).toMatchObject([{ status: 'ok', message: expect.stringContaining('cannot read') }]);
  });

  test.skipIf(skipRedis)('asks the Redis that is set', async () => {
    const redis = await startRedis();
    try {
      const { of } = await examine({ ...sharedEnv(service.databaseUrl), REDIS_URL: redis.url });
      expect(of('redis')).toMatchObject([{ status: 'ok', message: expect.stringMatching(/^version \d/) }]);
    } finally {
      await redis.stop();
    }
  });

  test('warns about a folder that other users can write to', async () => {
    const open = join(cli.dir, 'open');
    await mkdir(open);
    await chmod(open, 0o777);
    const { of } = await examine({ DATA_DIR: open });
    expect(of('data folder')).toMatchObject([{ status: 'warn', advice: expect.stringContaining('chmod') }]);
  });
});
