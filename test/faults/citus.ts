import type pg from 'pg';
import { joinNodes } from '../citus/cluster.ts';
import { until } from './child.ts';
import type { Programs } from './programs.ts';
import { type Database, database, role, Server } from './server.ts';

/** As in docs/operate/scale.md. */
const settings = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_connections: '300',
  max_prepared_transactions: '300',
  max_worker_processes: '24',
  'citus.recover_2pc_interval': '500ms',
};

/** A coordinator and its workers. */
export class Citus implements Database {
  readonly coordinator: Server;
  readonly workers: Server[];
  readonly #prepare: (name: string) => Promise<Server>;

  private constructor(coordinator: Server, workers: Server[], prepare: (name: string) => Promise<Server>) {
    this.coordinator = coordinator;
    this.workers = workers;
    this.#prepare = prepare;
  }

  static async start(programs: Programs, dir: string, workers = 2): Promise<Citus> {
    const prepare = (name: string) => Server.prepare({ name, dir, programs, settings });
    const names = ['coordinator', ...Array.from({ length: workers }, (_, i) => `node-${i + 1}`)];
    const servers = await Promise.all(names.map(prepare));
    for (const server of servers) await server.create();
    await joinNodes(servers.map(({ port }) => ({ host: '127.0.0.1', port, user: 'postgres', database })));
    const [coordinator, ...nodes] = servers as [Server, ...Server[]];
    // Makes statements of the service fail if they do not name one organization.
    await coordinator.ask(`alter role ${role} set citus.multi_task_query_log_level = 'error'`);
    return new Citus(coordinator, nodes, prepare);
  }

  get entrances(): Server[] {
    return [this.coordinator];
  }

  query<T extends pg.QueryResultRow>(sql: string, values?: unknown[], name?: string): Promise<T[]> {
    return this.coordinator.ask<T>(sql, values, name);
  }

  async addWorker(): Promise<Server> {
    const worker = await this.#prepare(`node-${this.workers.length + 1}`);
    await worker.create();
    await worker.ask('create extension citus');
    await this.query('select citus_add_node($1, $2)', ['127.0.0.1', worker.port]);
    this.workers.push(worker);
    return worker;
  }

  /** Moves shards until the workers are balanced, while the service runs. */
  async rebalance(): Promise<void> {
    await this.query('select citus_rebalance_start()');
    await until('the shards to move', 300, async () => {
      const [job] = await this.query<{ state: string; details: object }>(
        'select state, details from citus_rebalance_status() order by job_id desc limit 1',
      );
      if (job?.state === 'finished') return true;
      throw new Error(JSON.stringify(job));
    });
  }

  /** The organizations with rows on this worker. */
  async organizationsOn({ port }: Server): Promise<string[]> {
    const rows = await this.query<{ id: string }>(
      `select o.id from organizations o
       join citus_shards s on s.shardid = get_shard_id_for_distribution_column('partners', o.id)
       where s.nodeport = $1`,
      [port],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Gives one organization its own shards, on this worker. The split blocks writes to the old shard: without that, it hangs
   * if rows change meanwhile (citusdata/citus issue 6790). The move that follows does not block.
   */
  async isolate(org: string, worker: Server): Promise<void> {
    const [row] = await this.query<{ shard: string }>(
      `select isolate_tenant_to_new_shard('partners', $1::text, 'CASCADE', shard_transfer_mode => 'block_writes') as shard`,
      [org],
    );
    const [from] = await this.query<{ port: number }>(
      'select nodeport as port from citus_shards where shardid = $1',
      [row?.shard],
    );
    if (from?.port === worker.port) return;
    await this.query(
      `select citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3, 'force_logical')`,
      [row?.shard, from?.port, worker.port],
    );
  }
}
