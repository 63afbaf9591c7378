import pg from 'pg';
import { expect, test } from 'vitest';
import { connect } from '../../src/store/db/connection.ts';
import { MigrationError, migrate, pendingMigrations } from '../../src/store/db/migrate.ts';
import { createDatabase, testPool } from '../harness.ts';
import { oldSchema, withMigration } from './migrations-folder.ts';

const schema = '0001_schema.sql';
const later = '9999_later.sql';
const stopping = '-- stop-older-processes\ncreate table added (id int);\n';

const open = (url: string) => connect({ connectionString: url }, () => {});

test('a later migration is applied once, to what the earlier ones made', () =>
  withMigration(
    later,
    `-- A comment.
alter table exports add column added text;
create table added (id int);
`,
    async (directory) => {
      const server = { connectionString: await createDatabase() };
      expect(await migrate([server])).toEqual([]);
      expect(await migrate([server], { directory })).toEqual([later]);
      expect(await migrate([server], { directory })).toEqual([]);
      const pool = open(server.connectionString);
      await pool.query('select added from exports cross join added');
      const { rows } = await pool.query('select name, stops_older from schema_migrations where version > 1');
      expect(rows).toEqual([{ name: later, stops_older: false }]);
      await pool.end();
    },
  ));

test('a migration that must stop older processes refuses in one line while one is connected', () =>
  withMigration(later, stopping, async (directory) => {
    const url = await createDatabase();
    const older = open(url);
    await older.query('select 1');
    const refused = migrate([{ connectionString: url }], { directory });
    await expect(refused).rejects.toThrow(MigrationError);
    await expect(refused).rejects.toThrow(
      /^Migration 9999_later\.sql cannot run while an older version .* Stop all its processes, then try again\.$/,
    );
    const { rows } = await older.query('select max(version) as version from schema_migrations');
    expect(rows[0].version).toBeLessThan(9999);
    await older.end();
    expect(await migrate([{ connectionString: url }], { directory })).toEqual([later]);
  }));

test('processes that start at once migrate one after the other, and none takes another for an older one', () =>
  withMigration(later, stopping, async (directory) => {
    const url = await createDatabase();
    // Holds the lock of the migrations until all of them wait for it.
    const gate = new pg.Client(url);
    await gate.connect();
    await gate.query(`select pg_advisory_lock(hashtext('partner-signals migrations'))`);
    const starting = Array.from({ length: 3 }, () => migrate([{ connectionString: url }], { directory }));
    await expect
      .poll(async () => {
        const { rowCount } = await gate.query(
          `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
        );
        return rowCount;
      })
      .toBe(3);
    await gate.query(`select pg_advisory_unlock(hashtext('partner-signals migrations'))`);
    await gate.end();
    expect((await Promise.all(starting)).flat()).toEqual([later]);
  }));

test('a new database has no older processes, whoever is connected', () =>
  withMigration(later, stopping, async (directory) => {
    const url = await createDatabase({ isEmpty: true });
    const other = open(url);
    await other.query('select 1');
    expect(await migrate([{ connectionString: url }], { directory })).toEqual(
      expect.arrayContaining([schema, later]),
    );
    await other.end();
  }));

test('a database from before the first version is refused, with what to do about it', async () => {
  const url = await createDatabase();
  const pool = testPool(url);
  await pool.query(oldSchema);
  const empty =
    'The database was created by a version before 0.1.0, and this version cannot use it. Create an empty database, and set DATABASE_URL to it.';
  await expect(migrate([{ connectionString: url }])).rejects.toThrow(empty);
  await expect(pendingMigrations(pool)).rejects.toThrow(empty);
  await expect(migrate([{ connectionString: url }], { embeddedDir: '/data/postgres' })).rejects.toThrow(
    /this version cannot use it\. Delete the folder \/data\/postgres to start with an empty database/,
  );
  await pool.end();
});
