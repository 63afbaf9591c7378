import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { sortKey } from '../../src/contract/sort-key.ts';
import { connect } from '../../src/store/connection.ts';
import { MigrationError, migrate } from '../../src/store/migrate.ts';
import { createDatabase, startTestService } from '../harness.ts';

const directory = new URL('../../migrations/', import.meta.url);
const numbering = '0006_event_numbers.sql';

/** As a version left it that knew only the migrations before this one; `run` then works in it. */
async function databaseBefore(name: string, run: (client: pg.Client) => Promise<void>): Promise<string> {
  const url = await createDatabase({ isEmpty: true });
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    'create table schema_migrations (version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())',
  );
  for (const file of (await readdir(directory)).filter((one) => one < name).sort()) {
    const sql = await readFile(new URL(file, directory), 'utf8');
    await client.query(sql);
    await client.query('insert into schema_migrations values ($1, $2, $3)', [
      Number(file.slice(0, 4)),
      file,
      createHash('sha256').update(sql).digest('hex'),
    ]);
  }
  await run(client);
  await client.end();
  return url;
}

const nothing = async () => {};
const soon = { timeout: 30_000, interval: 100 };

test('events from before they had numbers get those of their order until then, and the next one the next', async () => {
  const url = await databaseBefore(numbering, async (client) => {
    await client.query(`insert into organizations (id, name, plan)
      select 'org_' || n, 'Organization', 'standard' from generate_series(1, 3) n`);
    // Transactions 9, 10 and 100, of which one wrote two events; and ids in another order.
    await client.query(`insert into events (org_id, id, kind, data, deliver, created_at, transaction)
      select 'org_' || o, id, 'signal.created', '{}', id <> 'a', now(), transaction::xid8
      from generate_series(1, 2) o, (values ('d', '9'), ('b', '10'), ('c', '10'), ('a', '100')) e (id, transaction)`);
  });
  await migrate([{ connectionString: url }]);
  const pool = connect({ connectionString: url }, () => {});
  const { rows } = await pool.query(`
    select n.org_id, string_agg(n.number || n.event_id || e.deliverable, ' ' order by n.number) as events, max(last_number) as last
    from event_numbers n join events e on e.org_id = n.org_id and e.id = n.event_id
    join event_counters c on c.org_id = n.org_id group by 1 order by 1`);
  expect(rows).toEqual(
    ['org_1', 'org_2'].map((org_id) => ({ org_id, events: '1dtrue 2btrue 3ctrue 4afalse', last: 4 })),
  );
  await pool.end();
});

test('facts and records from before can be found by name, and credit in full', async () => {
  const url = await databaseBefore('0009_readable_facts_rates_and_shares.sql', async (client) => {
    await client.query(`
      insert into organizations (id, name, plan) values ('org_1', 'Organization', 'standard');
      insert into organization_settings (org_id, version, settings, created_by) values ('org_1', 1, '{}', 'operator');
      insert into partners (org_id, id, external_id, name, name_key, type, tier)
        select 'org_1', 'prt_' || n, n::text, 'Partner', 'partner', 'gsi', 1 from generate_series(1, 2) n;
      insert into accounts (org_id, id, crm_id, name, created_at, updated_at)
        values ('org_1', 'acc_1', 'a', ' Éclat ÅÖ & Söhne', now(), now());
      insert into opportunities (org_id, id, account_id, crm_id, name, value, stage, status, created_at, updated_at) values
        ('org_1', 'opp_1', 'acc_1', 'o', 'Café Deal', 12.34, 'won', 'won', now(), now()),
        ('org_1', 'opp_2', 'acc_1', null, 'Prospective', 0, 'prospective', 'prospective', now(), now());
      insert into attribution_records
        (org_id, id, opportunity_id, partner_id, tier, status, policy_version, closed_date, created_at, updated_at)
        select 'org_1', 'atr_' || n, 'opp_1', 'prt_' || n, 'co_sell', case n when 1 then 'active' else 'reversed' end, 1,
          '2026-01-01', now(), now() from generate_series(1, 2) n;`);
  });
  await migrate([{ connectionString: url }]);
  const pool = connect({ connectionString: url }, () => {});
  const read = async (sql: string) => (await pool.query(sql)).rows.map((row) => Object.values(row)[0]);
  expect(await read('select name_key from accounts')).toEqual([sortKey(' Éclat ÅÖ & Söhne')]);
  expect(await read('select name_key from opportunities order by id')).toEqual([sortKey('Café Deal'), '']);
  expect(await read('select credited_value from attribution_records order by id')).toEqual([12.34, 0]);
  await pool.end();
});

test('a migration that must stop older processes refuses in one line while one is connected', async () => {
  const url = await databaseBefore(numbering, nothing);
  const older = connect({ connectionString: url }, () => {});
  await older.query('select 1');
  const refused = startTestService({}, url);
  await expect(refused).rejects.toThrow(MigrationError);
  await expect(refused).rejects.toThrow(
    /^Migration 0006_event_numbers\.sql cannot run while an older version .* Stop all its processes, then try again\.$/,
  );
  const { rows } = await older.query('select max(version) as version from schema_migrations');
  expect(rows[0].version).toBe(5);
  await older.end();
  const service = await startTestService({}, url);
  expect((await service.organization()).orgId).toMatch(/^org_/);
  await service.close();
});

test('processes that start at once migrate one after the other, and none takes another for an older one', async () => {
  const url = await databaseBefore(numbering, nothing);
  // Holds the lock of the migrations until all of them wait for it.
  const gate = new pg.Client(url);
  await gate.connect();
  await gate.query(`select pg_advisory_lock(hashtext('partner-signals migrations'))`);
  const starting = Array.from({ length: 3 }, () => startTestService({}, url));
  await expect
    .poll(async () => {
      const { rowCount } = await gate.query(
        `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
      );
      return rowCount;
    }, soon)
    .toBe(3);
  await gate.query(`select pg_advisory_unlock(hashtext('partner-signals migrations'))`);
  await gate.end();
  const services = await Promise.all(starting);
  for (const service of services) await service.close();
});

test('a new database has no older processes, whoever is connected', async () => {
  const url = await createDatabase({ isEmpty: true });
  const other = connect({ connectionString: url }, () => {});
  await other.query('select 1');
  expect(await migrate([{ connectionString: url }])).toContain(numbering);
  expect(await migrate([{ connectionString: url }])).toEqual([]);
  await other.end();
});
