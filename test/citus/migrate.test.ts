import { randomBytes } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { migrate } from '../../src/store/db/migrate.ts';
import { loadFacts, readAll } from '../facts.ts';
import {
  createDatabase,
  startTestService,
  type TestOrganization,
  type TestService,
  testPool,
} from '../harness.ts';
import { withMigration } from '../store/migrations-folder.ts';
import { joinNodes, on } from './cluster.ts';

/** The same organization, asked of another service. */
const at = ({ call }: TestService, org: TestOrganization): TestOrganization => ({
  ...org,
  call: (method, path, options) => call(method, path, { key: org.key, ...options }),
  get: (path) => call('GET', path, { key: org.key }),
});

const facts = (name: string) => ({
  partners: [{}],
  accounts: [{ crm_id: name }],
  partner_accounts: [{ domain: `${name}.example` }],
});

test('a database that grew up on one machine is spread with all that it holds, once, and goes on', async () => {
  const database = `test_${randomBytes(6).toString('hex')}`;
  const { host, port, user } = inject('postgres');
  const nodes = inject('nodes').map((node) => ({ ...node, user, database }));
  const url = `postgresql://${user}@${host}:${port}/${database}`;
  await on(
    nodes.map((node) => ({ ...node, database: 'postgres' })),
    (client) => client.query(`create database ${database} template template0`),
  );
  const before = await startTestService({}, url);
  const org = await before.organization();
  await loadFacts(org, facts('a1'));
  const signals = await readAll<{ id: string }>(org, '/v1/signals');
  const feed = (await org.get('/v1/events')).body;
  expect(signals).toHaveLength(1);
  await before.close();

  await joinNodes(nodes);
  const lines: string[] = [];
  const options = { shardCount: 4, onProgress: (line: string) => lines.push(line) };
  const spread = await migrate([{ host, port, user, database }], options);
  expect(spread).toContain('distributed signals');
  expect(lines[0]).toBe(`distributing partners (1 of ${spread.length})`);
  expect(await migrate([{ host, port, user, database }], options)).toEqual([]);
  const pool = testPool(url);
  const { rows } = await pool.query(
    `select count(*) as tables, count(distinct colocationid) as groups from pg_dist_partition where partmethod = 'h'`,
  );
  expect(rows).toEqual([{ tables: spread.length, groups: 1 }]);
  const { rows: local } = await pool.query(
    `select relname from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'org_id'
     where relnamespace = 'public'::regnamespace and relkind = 'r'
       and not exists (select from pg_dist_partition where logicalrelid = pg_class.oid) order by relname`,
  );
  expect(local.map(({ relname }) => relname)).toEqual(['api_keys', 'due_organizations', 'due_webhooks']);
  const { rows: left } = await pool.query(
    `select logicalrelid::text as name from pg_dist_partition where pg_relation_size(logicalrelid) > 0`,
  );
  expect(left).toEqual([]);
  await pool.end();

  const after = await startTestService({}, url);
  const same = at(after, org);
  expect(await readAll(same, '/v1/signals')).toEqual(signals);
  await loadFacts(same, facts('a2'));
  expect(await readAll(same, '/v1/signals')).toHaveLength(2);
  expect((await same.get(`/v1/events?cursor=${feed.resume_cursor}`)).body.data).toHaveLength(1);
  await after.close();
});

test('tables that are distributed already take later migrations, and new ones are distributed with them', () =>
  withMigration(
    '9999_later.sql',
    `alter table exports add column added text;
create table added (org_id text collate "C" not null, id text collate "C" not null, primary key (org_id, id));
`,
    async (directory) => {
      const url = await createDatabase();
      const done = await migrate([{ connectionString: url }], { directory });
      expect(done).toEqual(['9999_later.sql', 'distributed added']);
      const pool = testPool(url);
      const { rows } = await pool.query(
        `select e.added from exports e join added a on a.org_id = e.org_id where e.org_id = 'org_1'`,
      );
      expect(rows).toEqual([]);
      await pool.end();
    },
  ));
