import pg from 'pg';
import { expect, test } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { suggestStep } from '../../src/domain/match-suggestions.ts';
import { connect } from '../../src/store/db/connection.ts';
import { MigrationError, migrate } from '../../src/store/db/migrate.ts';
import { createDatabase, startTestService, testDb } from '../harness.ts';
import { databaseBefore, expectReadable, fillFacts, readableFacts } from './database-before.ts';

const numbering = '0006_event_numbers.sql';

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
  const url = await databaseBefore(readableFacts, fillFacts);
  await migrate([{ connectionString: url }]);
  const pool = connect({ connectionString: url }, () => {});
  await expectReadable(pool);
  await pool.end();
});

test('rows from before there were suggestions get them in small steps, and their matches stay', async () => {
  const orgId = 'org_1' as OrganizationId;
  const url = await databaseBefore('0013_match_decisions.sql', async (client) => {
    await client.query(`
      insert into organizations (id, name, plan) values ('${orgId}', 'Organization', 'standard');
      insert into partners (org_id, id, external_id, name, name_key, type, tier)
        values ('${orgId}', 'prt_1', 'p', 'Partner', 'partner', 'gsi', 1);
      insert into accounts (org_id, id, crm_id, name, name_key, country, deleted_at, created_at, updated_at)
        select '${orgId}', 'acc_' || n, n, 'Costbrook' || n, '', 'GB', case n when 3 then now() end, now(), now()
        from generate_series(1, 2500) n;
      insert into partner_accounts (org_id, partner_id, external_id, name, country, relationship, created_at, updated_at) values
        ('${orgId}', 'prt_1', 'l1', 'Costbrook1', 'GB', 'customer', now(), now()),
        ('${orgId}', 'prt_1', 'l2', 'Costbrook2 Wholesale', 'GB', 'customer', now(), now()),
        ('${orgId}', 'prt_1', 'l3', 'Costbrook3 Wholesale', 'GB', 'customer', now(), now());
      insert into matches (org_id, partner_id, account_id, external_id, kind, key, confidence, started_at)
        values ('${orgId}', 'prt_1', 'acc_1', 'l1', 'name', 'name:GB:costbrook1', 0.7, now());`);
  });
  await migrate([{ connectionString: url }]);
  const pool = connect({ connectionString: url }, () => {});
  const steps: number[] = [];
  const { db, close } = testDb(url);
  const step = () => db.write(orgId, (tx) => suggestStep(tx, orgId, new Date()));
  while (steps.at(-1) !== 0) steps.push((await step()) ?? 0);
  await close();
  const read = async (columns: string, table: string) =>
    (await pool.query({ text: `select ${columns} from ${table}`, rowMode: 'array' })).rows;
  expect(steps.reduce((sum, records) => sum + records)).toBe(2_499 + 3);
  expect(Math.max(...steps)).toBeLessThanOrEqual(500);
  expect(await read('account_id, external_id', 'match_suggestions')).toEqual([['acc_2', 'l2']]);
  expect(await read('account_id, external_id, ended_at', 'matches')).toEqual([['acc_1', 'l1', null]]);
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
