import type pg from 'pg';
import { until } from './child.ts';
import type { Programs } from './programs.ts';
import { type Database, Server } from './server.ts';

/** A primary and its streaming replica, which swap roles when the replica is promoted. */
export class Postgres implements Database {
  primary: Server;
  replica: Server;

  private constructor([primary, replica]: [Server, Server]) {
    this.primary = primary;
    this.replica = replica;
  }

  static async start(programs: Programs, dir: string): Promise<Postgres> {
    const settings = { wal_keep_size: '512MB' };
    const servers = await Promise.all(
      ['postgres-1', 'postgres-2'].map((name) => Server.prepare({ name, dir, programs, settings })),
    );
    const postgres = new Postgres(servers as [Server, Server]);
    await postgres.primary.create();
    await postgres.buildReplica();
    return postgres;
  }

  get entrances(): Server[] {
    return [this.primary, this.replica];
  }

  /** A new streaming copy of the primary. */
  async buildReplica(): Promise<void> {
    const { primary, replica } = this;
    await replica.end('SIGQUIT');
    await replica.program('basebackup', [
      ...['-D', replica.dir, '-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres'],
      ...['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast'],
    ]);
    await replica.run();
    await until('the replica to stream', 30, async () => (await this.#lagBytes()) !== null);
  }

  /** If true, a commit is acknowledged only when the replica has it on disk. */
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
    await this.replica.ask('select pg_promote(true, 60)', [], 'postgres');
    [this.primary, this.replica] = [this.replica, this.primary];
  }

  query<T extends pg.QueryResultRow>(sql: string, values?: unknown[], name?: string): Promise<T[]> {
    return this.primary.ask<T>(sql, values, name);
  }

  async #lagBytes(): Promise<number | null> {
    const [row] = await this.query<{ lag: number | null }>(
      `select (pg_current_wal_flush_lsn() - replay_lsn)::float8 as lag from pg_stat_replication where state = 'streaming'`,
    );
    return row?.lag ?? null;
  }
}
