import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { visit } from '../../src/store/db/database.ts';
import { startEmbeddedPostgres } from '../../src/store/db/embedded/postgres.ts';
import { createDatabase } from '../harness.ts';
import { oldSchema } from '../store/migrations-folder.ts';
import { type Cli, createCli, lines } from './cli.ts';

let cli: Cli;

beforeAll(async () => {
  cli = await createCli();
});
afterAll(() => cli.close());

describe('migrate', () => {
  test('lists pending migrations, applies them, and then finds nothing to do', async () => {
    const env = { DATABASE_URL: await createDatabase({ isEmpty: true }) };
    const dry = await cli.run(['migrate', '--dry-run'], { env });
    const names = lines(dry.stdout).map((line) => /^pending {2}(\d{4}_\w+\.sql)$/.exec(line)?.[1]);
    expect(names[0]).toMatch(/^0001_/);
    expect(names).not.toContain(undefined);

    const done = await cli.run(['migrate', '--json'], { env });
    expect(JSON.parse(done.stdout)).toMatchObject({ applied: names, pending: [] });
    const [again, dryAgain] = await Promise.all([
      cli.run(['migrate'], { env }),
      cli.run(['migrate', '--dry-run', '--json'], { env }),
    ]);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Nothing to do/) });
    expect(JSON.parse(dryAgain.stdout)).toMatchObject({ applied: [], pending: [] });
  });

  test('lists everything if there is no embedded database, and does not create one', async () => {
    const { code, stdout, stderr } = await cli.run(['migrate', '--dry-run', '--data-dir', 'nowhere']);
    expect(code).toBe(0);
    expect(stdout).toContain('pending  0001_');
    expect(stderr).toContain('The first start creates it');
    expect(existsSync(join(cli.dir, 'nowhere'))).toBe(false);
  });

  test('a database that cannot be reached is one line and exit code 1', async () => {
    const { code, stdout, stderr } = await cli.run([
      'migrate',
      '--database-url',
      'postgresql://127.0.0.1:1/x',
    ]);
    expect([code, stdout, lines(stderr).length]).toEqual([1, '', 1]);
  });
});

describe('serve', () => {
  test('runs the service without a demo until Ctrl-C; meanwhile doctor finds nothing wrong and migrate does not touch it; a database from before 0.1.0 is refused', async () => {
    const running = cli.start(['serve'], { env: { PORT: '0' } });
    await expect.poll(running.stdout).toContain('"listening"');
    const url = /"url":"([^"]+)"/.exec(running.stdout())?.[1] ?? '';
    expect(existsSync(join(cli.dir, 'data/demo.key'))).toBe(false);

    // URL and folder are enough: the CA certificate and the operator key are in the folder.
    const [org, doctor, migrate] = await Promise.all([
      cli.run(['orgs', 'create', 'Detected', '--quiet', '--base-url', url]),
      cli.run(['doctor', '--base-url', url]),
      cli.run(['migrate']),
    ]);
    expect(org.stdout).toMatch(/^org_/);
    expect(doctor.code, doctor.stdout).toBe(0);
    expect(doctor.stdout).toMatch(/ok {4}database {8}embedded, PostgreSQL \d+/);
    expect(doctor.stdout).toMatch(/warn {2}key {13}none\n/);
    expect(migrate.code).toBe(1);
    expect(migrate.stderr).toContain(join(cli.dir, 'data'));
    expect(migrate.stderr).not.toContain('    at ');

    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(0);
    expect(await readFile(join(cli.dir, 'data/operator.key'), 'utf8')).not.toBe('');

    const after = await cli.run(['migrate']);
    expect(after.stderr).toContain('starting the embedded database');
    expect(after.stdout).toMatch(/^Nothing to do/);

    const folder = join(cli.dir, 'data/postgres');
    const embedded = await startEmbeddedPostgres({ dataDir: join(cli.dir, 'data'), log: () => {} });
    await visit([embedded.connection], (pool) => pool.query(oldSchema));
    const examined = await cli.run(['doctor', '--base-url', url]);
    await embedded.stop();
    expect(examined.stdout).toMatch(/fail {2}migrations .*created by a version before 0\.1\.0/);
    const advice = `Delete the folder ${folder} to start with an empty database`;
    expect(examined.stdout).toContain(advice);
    for (const command of ['migrate', 'serve']) {
      const refused = await cli.run([command], { env: { PORT: '0' } });
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(advice);
      expect(refused.stderr).not.toContain('    at ');
    }
    const secrets = ['operator.key', 'encryption.keys', 'tls/ca.pem'].map((file) =>
      join(cli.dir, 'data', file),
    );
    const before = await Promise.all(secrets.map((file) => readFile(file, 'utf8')));
    await rm(folder, { recursive: true });
    expect((await cli.run(['migrate'])).stdout).toContain('applied  0001_schema.sql');
    expect(await Promise.all(secrets.map((file) => readFile(file, 'utf8')))).toEqual(before);
  });

  test('an invalid setting is one line and exit code 1', async () => {
    const { code, stderr } = await cli.run(['serve'], { env: { PORT: 'many' } });
    expect([code, lines(stderr).length]).toEqual([1, 1]);
    expect(stderr).toContain('PORT must be');
  });
});
