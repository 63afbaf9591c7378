import { type Pool, type Session, transaction } from './connection.ts';

/**
 * These stay on the coordinator although their rows have an organization: they are needed to find the organization of a key
 * or of due work.
 */
const onCoordinator = ['api_keys', 'due_organizations', 'due_webhooks'];

/** Any tenant table works; all others are co-located with it. */
const anchor = 'partners';

export const isCitus = `exists (select from pg_extension where extname = 'citus')`;

export async function hasCitus(db: Session): Promise<boolean> {
  const { rows } = await db.query<{ there: boolean }>(`select ${isCitus} as there`);
  return rows[0]?.there === true;
}

/**
 * Distributes the tenant tables over a Citus cluster by organization, including their rows; skips tables that are already
 * distributed. Does nothing without Citus.
 */
export async function distributeTables(
  pool: Pool,
  shardCount: number,
  onProgress: (line: string) => void,
): Promise<string[]> {
  if (!(await hasCitus(pool))) return [];
  return transaction(pool, async (tx) => {
    await tx.query(`set local statement_timeout = 0; set local lock_timeout = 0`);
    await tx.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
    await tx.query(`select pg_advisory_xact_lock(hashtext('partner-signals migrations'))`);
    const { rows } = await tx.query<{ name: string }>(
      `
        select c.relname as name from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
        where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> all($1)
          and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid)
        order by c.relname <> $2, c.relname`,
      [onCoordinator, anchor],
    );
    const names = rows.map(({ name }) => name);
    if (names.length === 0) return [];
    // A table cannot be distributed while a foreign key connects it with a table that is not.
    const { rows: references } = await tx.query<{ table: string; name: string; definition: string }>(
      `
        select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
        from pg_constraint where contype = 'f' and conrelid = any($1::text[]::regclass[])`,
      [names],
    );
    for (const { table, name } of references) await tx.query(`alter table ${table} drop constraint ${name}`);
    for (const [index, name] of names.entries()) {
      onProgress(`distributing ${name} (${index + 1} of ${names.length})`);
      const where =
        name === anchor
          ? `shard_count => ${shardCount}, colocate_with => 'none'`
          : `colocate_with => '${anchor}'`;
      await tx.query(`select create_distributed_table('${name}', 'org_id', ${where})`);
      // The local copy would stay, invisible, use disk space and violate later constraints.
      await tx.query(`select truncate_local_data_after_distributing_table('${name}')`);
    }
    for (const { table, name, definition } of references)
      await tx.query(`alter table ${table} add constraint ${name} ${definition}`);
    return names;
  });
}
