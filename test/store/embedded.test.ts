import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  startEmbeddedPostgres,
} from '../../src/store/db/embedded/postgres.ts';
import { mountDisk, skipDisk, unmountDisk } from '../disk.ts';
import { install, platformPackage, type Service, startService } from './embedded-harness.ts';

const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';

let scratch: string;
let openClone: string;
let dataDir: string;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  scratch = await realpath(await mkdtemp(join(tmpdir(), 'embedded-')));
  await chmod(scratch, 0o755);
  openClone = join(scratch, 'clone');
  await install(openClone);
  dataDir = join(scratch, 'made');
  await mkdir(dataDir);
  const { stop } = await startEmbeddedPostgres({ dataDir, log: () => {} });
  await stop();
});

afterAll(() => rm(scratch, { recursive: true, force: true }));

// Each test has a data directory of its own.
let count = 0;
const clusterDir = () => join(dataDir, 'postgres');
async function newDataDir(): Promise<void> {
  dataDir = join(scratch, `data-${count++}`);
  await mkdir(dataDir);
}

/** With a cluster, as an earlier start has left it behind: to copy one is faster than to make it. */
async function newCluster(): Promise<void> {
  await newDataDir();
  expect(spawnSync('cp', ['-a', join(scratch, 'made/postgres'), dataDir]).status).toBe(0);
}

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(log: (line: string) => void = () => {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  ends.push(() => postgres.stop());
  return postgres;
}

async function startError(): Promise<string> {
  const error = await start().then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(EmbeddedPostgresError);
  expect(error.message).not.toContain('\n');
  return error.message;
}

function service(options: Parameters<typeof startService>[2] & { clone?: string } = {}): Service {
  const started = startService(options.clone ?? openClone, dataDir, options);
  ends.push(async () => {
    started.process.kill('SIGTERM');
    await started.exited;
  });
  return started;
}

async function serviceError(options: Parameters<typeof service>[0] = {}): Promise<string> {
  const line = await service(options).line(/^(failed|ready)/);
  expect(line).toMatch(/^failed EmbeddedPostgresError ./);
  return line;
}

async function kill9(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}

function serverPid(): number {
  return Number(readFileSync(join(clusterDir(), 'postmaster.pid'), 'utf8').split('\n')[0]);
}

async function query(
  postgres: EmbeddedPostgres,
  sql: string,
  role = postgres.connection.user,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ...postgres.connection, user: role });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the cluster', () => {
  test('keeps what was committed across a stop and a start', async () => {
    await newCluster();
    const first = await start();
    await query(first, `create table kept as select 'ü' as name`);
    await first.stop();
    expect(await query(await start(), 'select name from kept')).toEqual([{ name: 'ü' }]);
  });

  test('is UTF8, sorts by code point, knows upper case beyond ASCII, and checks its pages', async () => {
    await newCluster();
    const postgres = await start();
    const [row] = await query(
      postgres,
      `select current_setting('server_encoding') as encoding, current_setting('data_checksums') as checksums,
              lower('ÄÖ') as lower, current_setting('timezone') as zone,
              (select string_agg(word, '' order by word) from (values ('b'), ('ä'), ('Z'), ('a')) as words (word)) as sorted`,
    );
    expect(row).toEqual({ encoding: 'UTF8', checksums: 'on', lower: 'äö', zone: 'UTC', sorted: 'Zabä' });
  });

  test('lets the service make schemas, tables and extensions, but run no programs', async () => {
    await newCluster();
    const postgres = await start();
    await query(postgres, 'create schema work; create table work.item (id int); create extension pg_trgm');
    await query(postgres, 'create table item (id int)');
    await expect(query(postgres, `copy item from program 'echo 1'`)).rejects.toThrow('permission denied');
  });

  test('commits durably even where postgresql.conf says otherwise', async () => {
    await newCluster();
    await appendFile(
      join(clusterDir(), 'postgresql.conf'),
      'fsync = off\nfull_page_writes = off\nsynchronous_commit = off\n',
    );
    const rows = await query(
      await start(),
      `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')`,
    );
    expect(rows.map((row) => row.setting)).toEqual(['on', 'on', 'on']);
  });

  test('is reached only through a socket in a directory that is closed to others', async () => {
    await newCluster();
    const postgres = await start();
    expect(await query(postgres, 'show listen_addresses')).toEqual([{ listen_addresses: '' }]);
    expect((await stat(postgres.connection.host)).mode & 0o777).toBe(0o700);
    expect((await lstat(join(clusterDir(), '.s.PGSQL.5432'))).isSocket()).toBe(true);
  });

  test('is never half made: a kill during initdb leaves nothing under its name, and the next start cleans up', async () => {
    await newDataDir();
    const killed = service();
    await vi.waitFor(async () => expect(await readdir(dataDir)).toHaveLength(1), {
      timeout: 60_000,
      interval: 2,
    });
    await kill9(killed.process);
    expect(await readdir(dataDir)).toEqual([expect.stringMatching(/^postgres\.new-/)]);
    await (await start()).stop();
    // The initdb of the killed process may have gone on for a while; by now it has ended.
    await start();
    expect(await readdir(dataDir)).toEqual(['postgres']);
  });

  test('of another major version is refused in one line', async () => {
    await newCluster();
    await writeFile(join(clusterDir(), 'PG_VERSION'), '17\n');
    expect(await startError()).toMatch(
      /postgres was created by PostgreSQL 17, but this release includes PostgreSQL 18\. /,
    );
  });

  test('does not overwrite a directory that holds something else', async () => {
    await newDataDir();
    await mkdir(clusterDir());
    if (isRoot) spawnSync('chown', ['65534', clusterDir()]);
    await writeFile(join(clusterDir(), 'diary.txt'), 'mine');
    expect(await startError()).toMatch(/is not a PostgreSQL data directory\. Move it/);
    expect(await readdir(clusterDir())).toEqual(['diary.txt']);
  });

  test('works where the path is too long for a socket, and leaves nothing in the temporary directory', async () => {
    await newDataDir();
    dataDir = join(dataDir, 'long-'.repeat(30));
    const killed = service();
    await killed.line(/^ready/);
    await kill9(killed.process);
    const postgres = await start();
    expect(postgres.connection.host.length).toBeLessThan(80);
    expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }]);
    await postgres.stop();
    expect(existsSync(postgres.connection.host)).toBe(false);
  });
});

describe('the server', () => {
  test('stops in good order, any number of times, and disconnects who is still there', async () => {
    await newCluster();
    const lines: string[] = [];
    const postgres = await start((line) => lines.push(line));
    const sleeper = query(postgres, 'select pg_sleep(60)').catch((error) => error.code);
    await vi.waitFor(async () =>
      expect(
        await query(
          postgres,
          `select 1 from pg_stat_activity where query like '%sleep(60)' and wait_event = 'PgSleep'`,
        ),
      ).toHaveLength(1),
    );
    await Promise.all([postgres.stop(), postgres.stop()]);
    await postgres.stop();
    expect(await sleeper).toBe('57P01');
    expect(lines.at(-1)).toBe('LOG:  database system is shut down');
    expect(existsSync(join(clusterDir(), 'postmaster.pid'))).toBe(false);
  });

  test('is ended by force when it does not stop in time', async () => {
    await newCluster();
    const postgres = await start();
    const pid = serverPid();
    process.kill(pid, 'SIGSTOP');
    await postgres.stop(50);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('reports its death in one line with the end of its log', async () => {
    await newCluster();
    const postgres = await start();
    process.kill(serverPid(), 'SIGKILL');
    expect(await postgres.died).toMatch(
      /^The embedded PostgreSQL stopped \(SIGKILL\)\. Last lines of its log: .*ready/,
    );
    await postgres.stop();
  });

  test('dies as a whole when one of its backends crashes', async () => {
    await newCluster();
    const postgres = await start();
    const backend = new pg.Client(postgres.connection);
    backend.on('error', () => {});
    await backend.connect();
    const { rows } = await backend.query('select pg_backend_pid() as pid');
    process.kill(rows[0].pid, 'SIGKILL');
    expect(await postgres.died).toMatch(/stopped \(exit code 1\).*terminated by signal 9/);
  });

  test('counts as dead when the connection that holds the lock breaks', async () => {
    await newCluster();
    const postgres = await start();
    await query(
      postgres,
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()`,
      'postgres',
    );
    expect(await postgres.died).toMatch(/closed the connection that holds the lock/);
  });

  test('does not hear a Ctrl-C in the terminal of the service', async () => {
    await newCluster();
    const running = service();
    await running.line(/^ready/);
    process.kill(-Number(running.process.pid), 'SIGINT');
    expect(await running.line(/^after SIGINT/)).toBe('after SIGINT 1');
    expect(running.lines.filter((line) => line.startsWith('died'))).toEqual([]);
  });

  test('gets nothing of our environment', async () => {
    await newDataDir();
    const misleading = {
      PGDATA: '/nowhere',
      PGPORT: '1',
      PGHOST: 'nowhere.invalid',
      PGUSER: 'somebody',
      PGSSLMODE: 'require',
      PGTZ: 'Asia/Tokyo',
      LD_LIBRARY_PATH: '/nowhere',
      LC_ALL: 'tlh_KX',
    };
    const running = service({ env: misleading });
    await running.line(/^ready/);
    if (!isLinux) return;
    const names = (await readFile(`/proc/${serverPid()}/environ`, 'utf8')).split('\0').filter(Boolean);
    expect(names.sort()).toEqual(['LC_ALL=C', 'PATH=/usr/bin:/bin', 'TZ=UTC']);
  });

  test('tells the end of its log when it does not start', async () => {
    await newCluster();
    await appendFile(join(clusterDir(), 'postgresql.conf'), 'no_such_setting = 1\n');
    expect(await startError()).toMatch(/PostgreSQL did not start in .*\(exit code 1\).*no_such_setting/);
  });

  test('outlives the service that read its log, and goes when the next one starts', async () => {
    await newCluster();
    const killed = service();
    await killed.line(/^ready/);
    const orphan = serverPid();
    await kill9(killed.process);
    const client = new pg.Client({ host: clusterDir(), user: 'postgres', database: 'postgres', ssl: false });
    client.on('error', () => {});
    await client.connect();
    await client.query(`do $$ begin for i in 1..2000 loop raise log 'into a broken pipe'; end loop; end $$`);
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    const lines: string[] = [];
    await start((line) => lines.push(line));
    expect(lines).toContain('stopping the PostgreSQL server that an earlier process left behind');
    // Whoever inherited the process may take its time to collect it.
    await vi.waitFor(() => expect(() => process.kill(orphan, 0)).toThrow('ESRCH'), 60_000);
    expect(serverPid()).not.toBe(orphan);
  });
});

describe('the lock of the data directory', () => {
  test('refuses a second process with a line that names the directory and the pid', async () => {
    await newCluster();
    const first = await start();
    expect(await serviceError()).toBe(
      `failed EmbeddedPostgresError Another process (pid ${process.pid}) is using the data folder ${dataDir}. Stop it, or choose another DATA_DIR.`,
    );
    expect(await query(first, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test.each(['a new directory', 'an existing cluster', 'a cluster whose service was killed'])(
    'lets exactly one of four processes that start at once have %s',
    async (state) => {
      await (state === 'a new directory' ? newDataDir() : newCluster());
      if (state === 'a cluster whose service was killed') {
        const killed = service();
        await killed.line(/^ready/);
        await kill9(killed.process);
      }
      const starters = [1, 2, 3, 4].map(() => service({ wait: true }));
      await Promise.all(starters.map((starter) => starter.line(/^loaded/)));
      for (const starter of starters) starter.go();
      const outcomes = await Promise.all(starters.map((starter) => starter.line(/^(ready|failed)/)));
      expect(outcomes.filter((line) => line === 'ready')).toHaveLength(1);
      expect(
        outcomes.filter((line) => /Error Another process .*is using the data folder/.test(line)),
      ).toHaveLength(3);
      const winner = starters[outcomes.indexOf('ready')];
      process.kill(Number(winner?.process.pid), 'SIGINT');
      expect(await winner?.line(/^after SIGINT/)).toBe('after SIGINT 1');
    },
  );

  test('does not trust a process id: a lock file that names another program does not prevent the start', async () => {
    await newCluster();
    const killed = service();
    await killed.line(/^ready/);
    const lockFiles = ['postmaster.pid', '.s.PGSQL.5432.lock'].map((name) => join(clusterDir(), name));
    const contents = await Promise.all(lockFiles.map((file) => readFile(file, 'utf8')));
    process.kill(serverPid(), 'SIGKILL');
    await killed.exited;
    const { uid, gid } = await stat(clusterDir());
    const stranger = spawn('sleep', ['600'], isRoot ? { uid, gid } : {});
    ends.push(() => stranger.kill());
    for (const [index, file] of lockFiles.entries()) {
      await writeFile(file, String(contents[index]).replace(/^\d+/, String(stranger.pid)));
    }
    expect(await query(await start(), 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(stranger.exitCode ?? stranger.signalCode).toBe(null);
  });

  test('starts over an empty lock file, which a full disk leaves behind', async () => {
    await newCluster();
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      await writeFile(join(clusterDir(), name), '');
      await utimes(join(clusterDir(), name), 1, 1);
    }
    expect(await query(await start(), 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('every acknowledged row is there after kill -9 under load', () => {
  test.each(['the service', 'the server', 'both'])('of %s', async (victim) => {
    await newCluster();
    const writer = service({ task: 'write' });
    await writer.line(/^written 500$/);
    if (victim !== 'the service') process.kill(serverPid(), 'SIGKILL');
    if (victim !== 'the server') writer.process.kill('SIGKILL');
    await writer.exited;
    const acknowledged = writer.lines
      .filter((line) => line.startsWith('written '))
      .map((line) => line.slice(8));
    const rows = await query(await start(), 'select id from written');
    const kept = new Set(rows.map((row) => row.id));
    expect(acknowledged.length).toBeGreaterThan(400);
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
  });
});

describe('the package with the binaries', () => {
  test('is made complete where npm skipped its install script', async () => {
    await newDataDir();
    const clone = join(scratch, 'clone-without-scripts');
    await install(clone);
    const lib = join(clone, 'node_modules', platformPackage, 'native/lib');
    for (const entry of await readdir(lib, { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await rm(join(lib, entry.name));
    }
    await service({ clone }).line(/^ready/);
  });

  test('that is missing gives a line that says to set DATABASE_URL', async () => {
    await newDataDir();
    const clone = join(scratch, 'clone-without-optional');
    await install(clone, { packages: false });
    expect(await serviceError({ clone })).toMatch(
      /is not installed\. Run npm install .* or set DATABASE_URL/,
    );
  });

  test('that does not exist for a platform gives a line that says to set DATABASE_URL', async () => {
    await newDataDir();
    const elsewhere = 'data:text/javascript,Object.defineProperty(process,"arch",{value:"mips"})';
    expect(await serviceError({ nodeArgs: ['--import', elsewhere] })).toMatch(
      /There is no embedded PostgreSQL for \w+-mips\. Set DATABASE_URL/,
    );
  });
});

describe.runIf(isRoot && isLinux)('users', () => {
  const nobody = 65_534;
  const stranger = 65_533;

  test('as root, the server runs as somebody else', async () => {
    await newDataDir();
    await start();
    const { uid } = await stat(`/proc/${serverPid()}`);
    expect(uid).not.toBe(0);
    expect((await stat(clusterDir())).uid).toBe(uid);
  });

  test('as root, a clone and a data directory inside a directory that is closed to others work', async () => {
    await newDataDir();
    const closed = join(scratch, 'closed');
    const clone = join(closed, 'clone');
    await install(clone);
    await chmod(closed, 0o700);
    dataDir = join(closed, 'data');
    for (const _ of ['with initdb', 'again']) {
      const running = service({ clone });
      await running.line(/^ready/);
      expect((await stat(`/proc/${serverPid()}`)).uid).not.toBe(0);
      running.process.kill('SIGTERM');
      await running.exited;
    }
  });

  test('a normal user starts it, then root, then the user again', async () => {
    await newDataDir();
    await chmod(dataDir, 0o777);
    for (const uid of [nobody, undefined, nobody]) {
      const running = service(uid === undefined ? {} : { uid });
      await running.line(/^ready/);
      expect((await stat(`/proc/${serverPid()}`)).uid).toBe(nobody);
      running.process.kill('SIGTERM');
      await running.exited;
    }
  });

  test('a cluster that belongs to somebody else is refused in one line', async () => {
    await newDataDir();
    await chmod(dataDir, 0o777);
    await (await start()).stop();
    expect(await serviceError({ uid: stranger })).toMatch(
      /postgres belongs to user \d+, but this process runs as user 65533\. /,
    );
    spawnSync('chown', ['-R', '0:0', clusterDir()]);
    expect(await startError()).toMatch(
      /postgres belongs to root, .*\. Run chown -R \d+:\d+ .*postgres, and start again/,
    );
  });

  test('a user without an entry in the password file gets one line', async () => {
    await newDataDir();
    await chmod(dataDir, 0o777);
    expect(await serviceError({ uid: stranger })).toMatch(/could not look up effective user ID 65533/);
  });

  test('a data directory that cannot be written gives one line', async () => {
    await newDataDir();
    expect(await serviceError({ uid: nobody })).toMatch(
      /cannot run in .*permission denied.*choose another DATA_DIR/,
    );
  });

  test.skipIf(skipDisk)('a full disk gives one line', async () => {
    await newDataDir();
    expect(mountDisk(dataDir, '12m')).toBe(true);
    ends.push(() => unmountDisk(dataDir));
    expect(await startError()).toMatch(/initdb failed in .*No space left on device/);
    expect(await readdir(dataDir)).toEqual([]);
  });
});
