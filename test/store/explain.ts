import pg from 'pg';
import type { OrganizationId } from '../../src/contract/ids.ts';
import type { Tx } from '../../src/store/db/tx.ts';
import { asTx } from '../due-work.ts';

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
};

export type Explained = {
  statement: string;
  plan: PlanNode;
  /** Rows read from each table, including those that a condition then excluded. */
  read: Record<string, number>;
  /** How often each table, or an index of it, was searched. */
  lookups: Record<string, number>;
  /** Tables that were read completely. */
  scanned: string[];
  blocks: number;
};

export type ExplainingSession = {
  /** The plans of the statements that `run` sends; its writes are rolled back. */
  explain(run: (tx: Tx) => Promise<unknown>): Promise<Explained[]>;
  /** How many rows an organization has in a table. */
  count(table: string, orgId: string): Promise<number>;
  end(): Promise<void>;
};

/**
 * A session that runs statements exactly as they are sent, by name, and records the plan that was used: `explain` before the
 * text would return the plan of another, unnamed statement.
 */
export async function explainingSession(
  databaseUrl: string,
  settings: Record<string, string>,
): Promise<ExplainingSession> {
  const client = new pg.Client(superuser(databaseUrl));
  await client.connect();
  let explained: Explained[] = [];
  client.on('notice', ({ message = '' }) => {
    const json = /^duration: .*? plan:\n(.*)$/s.exec(message)?.[1];
    if (json) explained.push(toExplained(JSON.parse(json)));
  });
  await client.query(`load 'auto_explain'`);
  const own = {
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
  };
  for (const [name, value] of Object.entries({ ...own, ...settings }))
    await client.query(`set ${name} = '${value}'`);
  return {
    async explain(run) {
      explained = [];
      await client.query('begin');
      const tx = asTx(client as unknown as pg.PoolClient, '' as OrganizationId);
      const query: Tx['query'] = (statement) => {
        // The organization of the statement.
        tx.last.orgId = statement.values?.[0] as OrganizationId;
        return client.query(statement);
      };
      await run({ ...tx, query });
      // A plan is logged when its statement is closed, which is when the next one comes.
      await client.query('savepoint next');
      await client.query('rollback');
      return explained;
    },
    async count(table, orgId) {
      const { rows } = await client.query(`select count(*)::int from ${table} where org_id = $1`, [orgId]);
      return rows[0].count;
    },
    end: () => client.end(),
  };
}

/** Loading a library, and filling tables without checking references, needs a superuser. */
export function superuser(databaseUrl: string): string {
  return databaseUrl.replace(/\/\/[^@]*@/, '//postgres@');
}

function toExplained({
  'Query Text': statement,
  Plan: plan,
}: {
  'Query Text': string;
  Plan: PlanNode;
}): Explained {
  const read: Record<string, number> = {};
  const lookups: Record<string, number> = {};
  const scanned: string[] = [];
  for (const node of nodesOf(plan)) {
    const table = node['Relation Name'];
    if (!table || !node['Node Type'].endsWith('Scan')) continue;
    const rows =
      node['Actual Rows'] +
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Index Recheck'] ?? 0);
    read[table] = (read[table] ?? 0) + Math.round(rows * node['Actual Loops']);
    lookups[table] = (lookups[table] ?? 0) + node['Actual Loops'];
    if (node['Node Type'] === 'Seq Scan') scanned.push(table);
  }
  const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  return { statement, plan, read, lookups, scanned, blocks };
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
