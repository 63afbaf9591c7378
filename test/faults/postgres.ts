import { chown, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { chooseServerUser } from '../../src/store/embedded/cluster.ts';
import type { ServerUser } from '../../src/store/embedded/process.ts';
import { type Child, freePort, runToEnd, startChild, until } from './child.ts';
import type { Programs } from './programs.ts';
import { startWire, type Wire } from './wire.ts';

export const database = 'signals';
export const role = 'signals';

/** A server, and the wire through which the service reaches it; we ourselves go past the wire. */
type Node = { name: string; dir: string; port: number; wire: Wire; child: Child | undefined };

/** A primary and its streaming replica, which change places when the replica is promoted. */
export class Postgres {
  readonly user: ServerUser;
  primary: Node;
  replica: Node;
  readonly #programs: Programs;
  readonly #dir: string;

  private constructor(programs: Programs, dir: string, user: ServerUser, nodes: [Node, Node]) {
    this.#programs = programs;
    this.#dir = dir;
    this.user = user;
    [this.primary, this.replica] = nodes;
  }

  static async start(programs: Programs, dir: string): Promise<Postgres> {
    const user = await chooseServerUser(join(dir, 'postgres-1'));
    const nodes = await Promise.all(
      ['postgres-1', 'postgres-2'].map(async (name): Promise<Node> => {
        const port = await freePort();
        return { name, dir: join(dir, name), port, wire: await startWire(port), child: undefined };
      }),
    );
    const postgres = new Postgres(programs, dir, user, nodes as [Node, Node]);
    const { primary } = postgres;
    await postgres.#emptyDirectory(primary);
    await runToEnd({
      name: 'initdb',
      file: programs.initdb,
      args: ['-D', primary.dir, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C'],
      dir,
      user,
    });
    await postgres.run(primary);
    await postgres.query(`create role ${role} login password '${role}'`, [], 'postgres');
    await postgres.query(`create database ${database} owner ${role}`, [], 'postgres');
    await postgres.buildReplica();
    return postgres;
  }

  async run(node: Node): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      wal_keep_size: '512MB',
      log_min_messages: 'fatal',
    };
    node.child = await startChild({
      name: node.name,
      file: this.#programs.postgres,
      args: [
        ...['-D', node.dir, '-p', String(node.port)],
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      dir: this.#dir,
      user: this.user,
      lastSignal: 'SIGQUIT',
    });
    await until(`the start of ${node.name}`, 60, () => ask(node.port, 'postgres', 'select 1'));
  }

  /** Ends a server with this signal: SIGQUIT is its immediate shutdown, SIGINT its fast one. */
  async end(node: Node, signal: NodeJS.Signals): Promise<void> {
    node.child?.kill(signal);
    await node.child?.ended;
    node.child = undefined;
  }

  /** A fresh copy of the primary, streaming. */
  async buildReplica(): Promise<void> {
    const { primary, replica } = this;
    await this.end(replica, 'SIGQUIT');
    await this.#emptyDirectory(replica);
    await runToEnd({
      name: 'pg_basebackup',
      file: this.#programs.basebackup,
      args: [
        ...['-D', replica.dir, '-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres'],
        ...['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast'],
      ],
      dir: this.#dir,
      user: this.user,
    });
    await this.run(replica);
    await until('the replica to stream', 30, async () => (await this.#lagBytes()) !== null);
  }

  /** With true a commit is acknowledged only when the replica has it on disk. */
  async setSynchronous(on: boolean): Promise<void> {
    await this.query(`alter system set synchronous_standby_names = ${on ? `'*'` : `''`}`);
    await this.query('select pg_reload_conf()');
    if (on) {
      const synchronous = `select 1 from pg_stat_replication where sync_state = 'sync'`;
      await until('synchronous replication', 30, async () => (await this.query(synchronous)).length > 0);
    }
  }

  async caughtUp(): Promise<void> {
    await until('the replica to catch up', 30, async () => (await this.#lagBytes()) === 0);
  }

  async promoteReplica(): Promise<void> {
    await ask(this.replica.port, 'postgres', 'select pg_promote(true, 60)');
    [this.primary, this.replica] = [this.replica, this.primary];
  }

  /** As the superuser, on the primary, past the wire. */
  query<T extends pg.QueryResultRow>(sql: string, values: unknown[] = [], name = database): Promise<T[]> {
    return ask<T>(this.primary.port, name, sql, values);
  }

  async #lagBytes(): Promise<number | null> {
    const [row] = await this.query<{ lag: number | null }>(
      `select (pg_current_wal_flush_lsn() - replay_lsn)::float8 as lag from pg_stat_replication where state = 'streaming'`,
    );
    return row?.lag ?? null;
  }

  async #emptyDirectory({ dir }: Node): Promise<void> {
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir, { mode: 0o700 });
    if (this.user) await chown(dir, this.user.uid, this.user.gid);
  }
}

async function ask<T extends pg.QueryResultRow>(
  port: number,
  name: string,
  sql: string,
  values: unknown[] = [],
): Promise<T[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: name });
  client.on('error', () => {}); // the query in flight rejects; unheard, the event would end us
  await client.connect();
  try {
    return (await client.query<T>(sql, values)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
