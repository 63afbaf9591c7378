import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { type Binaries, findBinaries } from './binaries.ts';
import { chooseServerUser, ensureCluster, pathForServer, removeDrafts } from './cluster.ts';
import {
  connectionTo,
  connectToCluster,
  createServiceRole,
  type EmbeddedConnection,
  removeLink,
  removeStaleLockFiles,
  socketPort,
  stopAbandonedServer,
  takeLock,
} from './lock.ts';
import { makeFolder } from './make-folder.ts';
import { EmbeddedPostgresError, type Program, runProgram, type ServerUser } from './process.ts';

export { EmbeddedPostgresError };

export type EmbeddedPostgres = {
  /** For `new pg.Pool(...)`: `host` is the directory with the server's socket. */
  connection: EmbeddedConnection;
  /** Contains all data and nothing else. */
  directory: string;
  /** Resolves with a one-line explanation if the server stops without stop(). */
  died: Promise<string>;
  /** Stops the server cleanly, or by force if that takes longer than `graceMs`. */
  stop(graceMs?: number): Promise<void>;
};

type ClusterSetup = { clusterDir: string; binaries: Binaries; user: ServerUser; log: (line: string) => void };

/** Runs PostgreSQL in `<dataDir>/postgres` as a child of this process, which owns that directory until it ends. */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: (line: string) => void;
}): Promise<EmbeddedPostgres> {
  const { dataDir, log } = options;
  try {
    await makeFolder(dataDir, 0o700);
    const clusterDir = join(await realpath(dataDir), 'postgres');
    const user = await chooseServerUser(clusterDir);
    const place = { clusterDir, binaries: await findBinaries(user), user, log };
    await ensureCluster(clusterDir, place);
    const connection = await connectionTo(clusterDir);
    const { server, lock } = await startAlone(place);
    const postgres = { connection, directory: clusterDir, ...supervise(server, lock, clusterDir) };
    await removeDrafts(dataDir);
    return postgres;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL cannot run in ${dataDir} (${error.message}). Fix this, choose another DATA_DIR, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

function supervise(
  server: Program,
  lock: pg.Client,
  clusterDir: string,
): Pick<EmbeddedPostgres, 'died' | 'stop'> {
  let stopped: Promise<void> | undefined;
  const died = new Promise<string>((resolve) => {
    const tell = (what: string) => {
      if (!stopped) resolve(`${what}. ${server.lastWords()}`);
    };
    server.ended.then(({ why }) => tell(`The embedded PostgreSQL stopped (${why})`));
    // Without the lock, another process may take the directory and stop this server.
    lock.once('end', async () => {
      // Usually the connection breaks because the server stops, which is the better explanation.
      await Promise.race([server.ended, delay(2_000, undefined, { ref: false })]);
      tell('The embedded PostgreSQL closed the connection that holds the lock of its data directory');
    });
  });
  const stop = async (graceMs?: number) => {
    // Before the server stops: after that, the next process may be using the same link.
    await removeLink(clusterDir);
    await endServer(server, graceMs);
  };
  return {
    died,
    stop: (graceMs) => {
      stopped ??= stop(graceMs);
      return stopped;
    },
  };
}

/**
 * If several processes start, PostgreSQL's own lock file allows one server, and the lock in that server shows who owns it. A
 * process that gets the lock of another's server stops that server and starts its own; a process that finds the lock taken
 * is refused. So the last to get it stays.
 */
async function startAlone(place: ClusterSetup): Promise<{ server: Program; lock: pg.Client }> {
  const { clusterDir, log } = place;
  const deadline = Date.now() + 20_000;
  for (;;) {
    await stopAbandonedServer(clusterDir, log);
    removeStaleLockFiles(clusterDir);
    const { server, ready } = await launch(place);
    const lock = ready ? await lockOwnServer(server, clusterDir) : undefined;
    if (lock) return { server, lock };
    const { why } = await server.ended;
    // Another process was faster, or the processes of a killed server have not noticed yet.
    const occupied = /lock file ".+" (already exists|is empty)|pre-existing shared memory block/.test(
      server.lastLines(),
    );
    if (!(ready || occupied) || Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `PostgreSQL did not start in ${clusterDir} (${why}). ${server.lastWords()}`,
      );
    }
    await delay(200);
  }
}

async function launch({
  clusterDir,
  binaries,
  user,
  log,
}: ClusterSetup): Promise<{ server: Program; ready: boolean }> {
  let seeReadyLine: (seen: true) => void;
  const readyLine = new Promise<true>((resolve) => {
    seeReadyLine = resolve;
  });
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = runProgram(binaries.postgres, ['-D', await pathForServer(clusterDir, user), ...options], {
    user,
    cwd: clusterDir,
    log: (line) => {
      if (line.includes('database system is ready to accept connections')) seeReadyLine(true);
      log(line);
    },
  });
  // No time limit: recovery after a crash can take long.
  return { server, ready: await Promise.race([readyLine, server.ended.then(() => false)]) };
}

/** Undefined if another process has stopped our server to start its own. */
async function lockOwnServer(server: Program, clusterDir: string): Promise<pg.Client | undefined> {
  try {
    const lock = await connectToCluster(clusterDir);
    if (lock) {
      await takeLock(lock, clusterDir);
      const answer = await lock.query(`select split_part(pg_read_file('postmaster.pid'), e'\\n', 1) as pid`);
      if (answer.rows[0]?.pid === String(server.process.pid)) {
        await lock.query(createServiceRole);
        return lock;
      }
      await lock.end();
    }
    await endServer(server);
  } catch (error) {
    await endServer(server);
    if (error instanceof EmbeddedPostgresError) throw error;
  }
  return undefined;
}

async function endServer(server: Program, graceMs = 15_000): Promise<void> {
  const steps = [
    ['SIGINT', graceMs], // disconnects all clients, writes a checkpoint
    ['SIGQUIT', 1_500], // no checkpoint; the next start recovers
    ['SIGKILL', 500],
  ] as const;
  for (const [signal, waitMs] of steps) {
    server.process.kill(signal);
    const ended = server.ended.then(() => true);
    if (await Promise.race([ended, delay(waitMs, false, { ref: false })])) return;
  }
}

const settings = {
  listen_addresses: '',
  port: socketPort,
  // The cluster directory, which other users cannot access; relative, so that the length of its path does not matter.
  unix_socket_directories: '.',

  // A committed transaction survives a power failure, whatever postgresql.conf says.
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // A crash of one backend stops the server, and with it the service, which then restarts as a whole.
  restart_after_crash: 'off',

  // Ends queries whose service was killed: while one runs, no new server starts in the directory.
  client_connection_check_interval: '2s',

  max_connections: 100,
  shared_buffers: '256MB',
  // A container may not be allowed the huge pages that its host offers, which kills the server at first use.
  huge_pages: 'off',
  max_wal_size: '1GB',
  random_page_cost: 1.1,
  jit: 'off',
  // Parallel plans gain little on two cores, and need more of /dev/shm than the 64 MB of a container.
  max_parallel_workers_per_gather: 0,
  max_parallel_maintenance_workers: 0,
  timezone: 'UTC',

  // The parser of standard error needs the severity first, and the line that says that the server is ready.
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: '',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  lc_messages: 'C',
};
