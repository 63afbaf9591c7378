import pg from 'pg';
import { migrate } from '../../src/store/db/migrate.ts';

export type Node = { host: string; port: number };

/** Few, so that creating a test database is quick, but more than there are nodes. */
const shardCount = 4;

/**
 * A Citus cluster for the tests. A statement of the service that does not name one organization fails on it. Databases are
 * copied node by node, including the metadata of Citus, because the nodes are the same.
 */
export async function prepareCitus(url: string) {
  const { hostname: host, port, username: user, pathname } = new URL(url);
  const connection = { host, port: Number(port), user, database: pathname.slice(1) };
  const [coordinator] = await on([connection], async (client) => {
    const { rows } = await client.query<Node & { group: number }>(
      `select nodename as host, nodeport as port, groupid as "group" from pg_dist_node order by groupid`,
    );
    await client.query(`alter role ${user} set citus.multi_task_query_log_level = 'error'`);
    // No test kills these servers, so commits need not wait for the disk.
    await client.query(`alter role ${user} set synchronous_commit = off`);
    return rows;
  });
  const nodes = coordinator as Node[];
  const all = nodes.map((node) => ({ ...node, user, database: 'postgres' }));
  const names = { migrated: `migrated_${process.pid}`, empty: `empty_${process.pid}` };
  for (const name of Object.values(names)) {
    await on(all, (client) => client.query(`create database ${name}`));
    await joinNodes(all.map((node) => ({ ...node, database: name })));
  }
  await migrate([{ ...connection, database: names.migrated }], { shardCount });
  // A database with a connection cannot be copied, and Citus keeps one of its own.
  await on(all, async (client) => {
    for (const name of Object.values(names)) {
      await client.query(`alter database ${name} allow_connections false`);
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [name]);
    }
  });
  return {
    connection,
    nodes,
    ...names,
    async end() {
      await on(all, async (client) => {
        const { rows } = await client.query(
          `select datname from pg_database where datname ~ '^test_[0-9a-f]{12}'`,
        );
        for (const name of [...Object.values(names), ...rows.map(({ datname }) => datname)])
          await client.query(`drop database if exists ${name} with (force)`);
      });
      await on([connection], (client) => client.query(`alter role ${user} reset all`));
    },
  };
}

/** Connects the databases of all nodes to one, the coordinator's first. */
export async function joinNodes(nodes: (Node & pg.ClientConfig)[]): Promise<void> {
  const [coordinator, ...workers] = nodes as [Node, ...Node[]];
  await on(nodes, (client) => client.query('create extension citus'));
  await on([coordinator], async (client) => {
    await client.query(`select citus_set_coordinator_host($1, $2)`, [coordinator.host, coordinator.port]);
    for (const { host, port } of workers) await client.query('select citus_add_node($1, $2)', [host, port]);
  });
}

/** Runs on each node, one after another. */
export async function on<T>(
  servers: pg.ClientConfig[],
  run: (client: pg.Client) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (const server of servers) {
    const client = new pg.Client(server);
    await client.connect();
    results.push(await run(client));
    await client.end();
  }
  return results;
}
