import type pg from 'pg';
import { freePort, runToEnd } from '../../test/faults/child.ts';
import type { Installation } from '../installation.ts';
import { ask, program, type Reader, startAnswering } from './peer.ts';

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
 * Directus ignores tables with composite primary keys, which all of ours have, so it gets a copy of the rows in its own schema,
 * with the index that the page needs.
 */
export async function startDirectus(installation: Installation, client: pg.Client): Promise<Reader> {
  await copyRows(client);
  const { dir, connection } = installation;
  const listensOn = await freePort();
  const env = {
    DB_CLIENT: 'pg',
    DB_HOST: connection.host,
    DB_PORT: String(connection.port),
    DB_USER: connection.user,
    DB_PASSWORD: 'none',
    DB_DATABASE: connection.database,
    DB_SEARCH_PATH: schema,
    HOST: '127.0.0.1',
    PORT: String(listensOn),
    SECRET: 'secret-of-the-benchmark-in-directus',
    ADMIN_EMAIL: 'bench@example.com',
    ADMIN_PASSWORD: 'password-of-the-benchmark',
    ADMIN_TOKEN: token,
    LOG_LEVEL: 'error',
    TELEMETRY: 'false',
    // Otherwise Directus answers 503 while it warms up.
    PRESSURE_LIMITER_ENABLED: 'false',
  };
  const url = `http://127.0.0.1:${listensOn}`;
  await runToEnd(program('directus', ['bootstrap'], dir, env));
  const start = program('directus', ['start'], dir, env);
  const child = await startAnswering(start, () => ask(`${url}/server/ping`));
  const headers = { authorization: `Bearer ${token}` };
  return {
    name: 'Directus',
    pid: child.pid,
    page({ orgId }) {
      const query = new URLSearchParams({
        fields: fields.join(','),
        filter: JSON.stringify({ org_id: { _eq: orgId } }),
        sort: '-fired_at,-id',
        limit: '25',
      });
      return ask(`${url}/items/signals?${query}`, headers);
    },
    stop: () => child.kill('SIGKILL'),
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
    analyze ${schema}.partners, ${schema}.accounts, ${schema}.opportunities, ${schema}.signals;
  `);
}
