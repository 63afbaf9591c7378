import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { lstat, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedPostgresError, errorCode } from './process.ts';

export type EmbeddedConnection = { host: string; port: number; user: string; database: string; ssl: false };

export const socketPort = 5432;
const socketName = `.s.PGSQL.${socketPort}`;
// sun_path has 107 bytes on Linux and 103 on macOS.
const socketPathMaxBytes = 103;
const serviceRole = 'partner_signals';
const answerTimeoutMs = 60_000;
// PostgreSQL's two-number advisory locks are separate from the one-number locks, which migrations may use.
const lockSpace = 20_563;
const lockNumber = 1;

/** The connection to the server of a cluster. The socket is in the cluster directory itself. */
export async function connectionTo(clusterDir: string): Promise<EmbeddedConnection> {
  const fits = Buffer.byteLength(join(clusterDir, socketName)) <= socketPathMaxBytes;
  const host = fits ? clusterDir : await linkTo(clusterDir);
  // Without `ssl`, PGSSLMODE in our environment would decide.
  return { host, port: socketPort, user: serviceRole, database: 'postgres', ssl: false };
}

/** The service is not a superuser, which could run programs, but owns its database. */
export const createServiceRole = `
  do $$ begin
    if not exists (select from pg_roles where rolname = '${serviceRole}') then
      create role ${serviceRole} login;
      alter database postgres owner to ${serviceRole};
    end if;
  end $$`;

export async function removeLink(clusterDir: string): Promise<void> {
  await rm(linkPath(clusterDir), { force: true }).catch(() => {});
}

/**
 * A superuser connection to the server in `clusterDir` as soon as it accepts connections; undefined if no server listens
 * there.
 */
export async function connectToCluster(clusterDir: string): Promise<pg.Client | undefined> {
  const deadline = Date.now() + answerTimeoutMs;
  for (;;) {
    const client = new pg.Client({
      ...(await connectionTo(clusterDir)),
      user: 'postgres',
      application_name: `partner-signals ${process.pid}`,
      connectionTimeoutMillis: 10_000,
      query_timeout: 10_000,
    });
    client.on('error', () => {}); // 'end' follows
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (['ENOENT', 'ECONNREFUSED'].includes(errorCode(error) ?? '')) return undefined;
      // 57P: starting or shutting down; 53300: too many connections. Both are temporary.
      const passes = !(error instanceof pg.DatabaseError) || /^(57P|53300)/.test(error.code ?? '');
      if (!passes || Date.now() > deadline) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new EmbeddedPostgresError(
          `The PostgreSQL server that is running in ${clusterDir} refused the connection (${reason}). Stop it, and start again.`,
        );
      }
    }
    await delay(50);
  }
}

/**
 * Takes the lock of the data directory for as long as `client` stays connected, or throws an error that names the holder. It
 * is a lock in the server itself, so it ends with the process that holds it, however that process ends.
 */
export async function takeLock(client: pg.Client, clusterDir: string, waitMs = 0): Promise<void> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const { rows } = await client.query(`select pg_try_advisory_lock(${lockSpace}, ${lockNumber}) as taken`);
    if (rows[0]?.taken) return;
    if (Date.now() >= deadline) break;
    await delay(50);
  }
  const holder = await client.query(
    `select substring(application_name from '[0-9]+$') as pid from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and classid = ${lockSpace} and objid = ${lockNumber} and granted`,
  );
  const pid = holder.rows[0]?.pid;
  throw new EmbeddedPostgresError(
    `Another process${pid ? ` (pid ${pid})` : ''} is using the data folder ${dirname(clusterDir)}. Stop it, or choose another DATA_DIR.`,
  );
}

/** Stops a server that a killed service left behind; refuses if that service is still running. */
export async function stopAbandonedServer(clusterDir: string, log: (line: string) => void): Promise<void> {
  const deadline = Date.now() + answerTimeoutMs;
  for (;;) {
    const client = await connectToCluster(clusterDir);
    if (client === undefined) return;
    try {
      // The server needs a moment to notice that the process with the lock was killed.
      await takeLock(client, clusterDir, 1_000);
      log('stopping the PostgreSQL server that an earlier process left behind');
      // The server signals itself: a process ID from a file may by now belong to another program, or be from another
      // container.
      await client.query(`copy (select 1) to program 'read pid < postmaster.pid && kill -INT "$pid"'`);
    } catch (error) {
      // Everything else is a connection error, which the shutdown causes.
      if (error instanceof EmbeddedPostgresError) throw error;
    } finally {
      await client.end();
    }
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `A leftover PostgreSQL server in ${clusterDir} did not stop. Stop it manually, and start again.`,
      );
    }
    await delay(50);
  }
}

/**
 * PostgreSQL does not start if the process ID in its lock file is in use by any program; after a reboot, or in a container,
 * IDs are soon reused. Call this only if nothing listens.
 */
export function removeStaleLockFiles(clusterDir: string): void {
  const lockFile = join(clusterDir, 'postmaster.pid');
  const found = readIfPresent(lockFile);
  if (found !== undefined) {
    const pid = Number.parseInt(found, 10);
    // A server creates the file a moment before it writes its ID; a crash or a full disk can leave it empty.
    const lives = Number.isNaN(pid) ? ageMs(lockFile) < 10_000 : isServerOf(clusterDir, pid);
    // There is no await in between, so another process hardly has time to create its own lock file.
    if (lives || readIfPresent(lockFile) !== found) return;
    rmSync(lockFile, { force: true });
  }
  rmSync(join(clusterDir, `${socketName}.lock`), { force: true });
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

function ageMs(file: string): number {
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function isServerOf(clusterDir: string, pid: number): boolean {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).stdout.includes(
      clusterDir,
    );
  }
  try {
    // From its first instruction, the working directory of the server is its cluster.
    const workingDir = statSync(`/proc/${pid}/cwd`);
    const cluster = statSync(clusterDir);
    return workingDir.ino === cluster.ino && workingDir.dev === cluster.dev;
  } catch {
    return false; // it has ended, or belongs to another user
  }
}

/** The same at every start, so that a link left by a killed process is reused. */
function linkPath(clusterDir: string): string {
  const hash = createHash('sha256').update(clusterDir).digest('hex').slice(0, 16);
  return join(tmpdir(), `partner-signals-${process.getuid?.()}-${hash}`);
}

async function linkTo(clusterDir: string): Promise<string> {
  const link = linkPath(clusterDir);
  if (Buffer.byteLength(join(link, socketName)) > socketPathMaxBytes) {
    throw new EmbeddedPostgresError(
      `The path ${clusterDir} is too long for a socket. Choose a shorter DATA_DIR, or set TMPDIR to a shorter path.`,
    );
  }
  await symlink(clusterDir, link).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  // The directory is open to everybody: a link from another user could lead to that user's server.
  const { uid } = await lstat(link);
  if (uid !== process.getuid?.() || (await readlink(link)) !== clusterDir) {
    throw new EmbeddedPostgresError(
      `${link} belongs to another user or leads elsewhere. Remove it, or choose a DATA_DIR with a shorter path.`,
    );
  }
  return link;
}
