import { once } from 'node:events';
import type pg from 'pg';
import { freePort } from '../../test/redis.ts';
import type { Installation } from '../installation.ts';
import { answering, ask, startProgram } from './peer.ts';
import type { Reader } from './reader.ts';

const schema = 'directus';
const token = 'token-of-the-benchmark-in-directus';

/** The fields of the service's list. */
const fields = [
  ...['id', 'type', 'state', 'priority', 'fired_at', 'assignee', 'recommended_action'],
  ...['id', 'name', 'type'].map((field) => `partner_id.${field}`),
  ...['id', 'name', 'crm_id', 'owner'].map((field) => `account_id.${field}`),
  ...['id', 'name', 'value', 'currency', 'stage', 'owner'].map((field) => `opportunity_id.${field}`),
];

/**
 * Directus reads no table whose key has two columns, as every one here has. So it gets a copy of the rows in a schema of its
 * own, with the keys and the index that the page needs.
 */
export async function startDirectus(installation: Installation, client: pg.Client): Promise<Reader> {
  await copyRows(client);
  const { host, port, user, database } = installation.connection;
  const listensOn = String(await freePort());
  const env = {
    DB_CLIENT: 'pg',
    DB_HOST: host,
    DB_PORT: String(port),
    DB_USER: user,
    DB_PASSWORD: 'none',
    DB_DATABASE: database,
    DB_SEARCH_PATH: schema,
    HOST: '127.0.0.1',
    PORT: listensOn,
    SECRET: 'secret-of-the-benchmark-in-directus',
    ADMIN_EMAIL: 'bench@example.com',
    ADMIN_PASSWORD: 'password-of-the-benchmark',
    ADMIN_TOKEN: token,
    LOG_LEVEL: 'error',
    TELEMETRY: 'false',
  };
  const setUp = startProgram('directus', ['bootstrap'], env);
  setUp.stdout?.resume();
  const [code] = await once(setUp, 'exit');
  if (code !== 0) throw new Error('Directus could not set up its tables.');
  const child = startProgram('directus', ['start'], env);
  child.stdout?.resume();
  const url = `http://127.0.0.1:${listensOn}`;
  await answering(`${url}/server/ping`, child);
  const headers = { authorization: `Bearer ${token}` };
  return {
    name: 'Directus',
    pid: child.pid as number,
    page({ orgId }) {
      const query = new URLSearchParams({
        fields: fields.join(','),
        filter: JSON.stringify({ org_id: { _eq: orgId } }),
        sort: '-fired_at,-id',
        limit: '25',
      });
      return ask(`${url}/items/signals?${query}`, headers);
    },
    stop: () => child.kill(),
  };
}

async function copyRows(client: pg.Client): Promise<void> {
  await client.query(`
    create schema ${schema};
    create table ${schema}.partners as select * from partners;
    create table ${schema}.accounts as select * from accounts;
    create table ${schema}.opportunities as select * from opportunities;
    create table ${schema}.signals as select * from signals;
    alter table ${schema}.partners add primary key (id);
    alter table ${schema}.accounts add primary key (id);
    alter table ${schema}.opportunities add primary key (id);
    alter table ${schema}.signals
      add primary key (id),
      add foreign key (partner_id) references ${schema}.partners,
      add foreign key (account_id) references ${schema}.accounts,
      add foreign key (opportunity_id) references ${schema}.opportunities;
    create index on ${schema}.signals (org_id, fired_at desc, id desc);
  `);
}
