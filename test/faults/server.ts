import { chown, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { chooseServerUser } from '../../src/store/db/embedded/cluster.ts';
import type { ServerUser } from '../../src/store/db/embedded/process.ts';
import { type Child, freePort, runToEnd, startChild, until } from './child.ts';
import type { Programs } from './programs.ts';
import { startWire, type Wire } from './wire.ts';

export const database = 'signals';
export const role = 'signals';

/** The database of an installation: one PostgreSQL with a replica, or a Citus cluster. */
export interface Database {
  /** The servers that the service connects to; several if they swap roles. */
  readonly entrances: Server[];
  /** As the superuser, on the server that accepts writes, bypassing the wire. */
  query<T extends pg.QueryResultRow>(sql: string, values?: unknown[], name?: string): Promise<T[]>;
}

/** A PostgreSQL server, and the wire between it and the service. The tests bypass the wire. */
export class Server {
  readonly name: string;
  readonly dir: string;
  readonly port: number;
  readonly wire: Wire;
  readonly user: ServerUser;
  readonly #programs: Programs;
  readonly #logDir: string;
  readonly #settings: Record<string, string>;
  #child: Child | undefined;

  private constructor(start: Start, user: ServerUser, port: number, wire: Wire) {
    this.name = start.name;
    this.dir = join(start.dir, start.name);
    this.port = port;
    this.wire = wire;
    this.user = user;
    this.#programs = start.programs;
    this.#logDir = start.dir;
    this.#settings = start.settings;
  }

  static async prepare(start: Start): Promise<Server> {
    const port = await freePort();
    const user = await chooseServerUser(join(start.dir, start.name));
    return new Server(start, user, port, await startWire(port));
  }

  /** Starts with an empty database cluster. */
  async create(): Promise<void> {
    await this.program('initdb', [
      ...['-D', this.dir, '--username=postgres', '--auth=trust'],
      ...['--encoding=UTF8', '--locale=C'],
    ]);
    await this.run();
    await this.ask(`create role ${role} login password '${role}'`, [], 'postgres');
    await this.ask(`create database ${database} owner ${role}`, [], 'postgres');
  }

  /** Empties and fills its folder. */
  async program(name: 'initdb' | 'basebackup', args: string[]): Promise<void> {
    await rm(this.dir, { recursive: true, force: true });
    await mkdir(this.dir, { mode: 0o700 });
    if (this.user) await chown(this.dir, this.user.uid, this.user.gid);
    await runToEnd({ name, file: this.#programs[name], args, dir: this.#logDir, user: this.user });
  }

  async run(): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      log_min_messages: 'error',
      ...this.#settings,
    };
    this.#child = await startChild({
      name: this.name,
      file: this.#programs.postgres,
      args: [
        ...['-D', this.dir, '-p', String(this.port)],
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      dir: this.#logDir,
      user: this.user,
      lastSignal: 'SIGQUIT',
    });
    await until(`the start of ${this.name}`, 60, () => this.ask('select 1', [], 'postgres'));
  }

  /** SIGQUIT is an immediate shutdown, SIGINT a fast one. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#child?.kill(signal);
    await this.#child?.ended;
    this.#child = undefined;
  }

  async ask<T extends pg.QueryResultRow>(sql: string, values: unknown[] = [], name = database): Promise<T[]> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: 'postgres', database: name });
    client.on('error', () => {}); // the query in flight rejects; without a listener the event would end this process
    await client.connect();
    try {
      return (await client.query<T>(sql, values)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

type Start = { name: string; dir: string; programs: Programs; settings: Record<string, string> };
