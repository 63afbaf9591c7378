import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { expect } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { sortKey } from '../../src/contract/sort-key.ts';
import type { Pool } from '../../src/store/db/connection.ts';
import { listSignals } from '../../src/store/signals/signal-items.ts';
import { shownOf } from '../../src/store/signals/signal-text.ts';
import { createDatabase } from '../harness.ts';

const directory = new URL('../../migrations/', import.meta.url);

/** As a version left it that knew only the migrations before this one; `run` then works in it. */
export async function databaseBefore(
  name: string,
  run: (client: pg.Client) => Promise<void>,
): Promise<string> {
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

export const readableFacts = '0009_readable_facts_rates_and_shares.sql';

/** Facts and records of two organizations as they were before this migration. */
export async function fillFacts(client: pg.Client): Promise<void> {
  for (const org of ['org_1', 'org_2'])
    await client.query(`
      insert into organizations (id, name, plan) values ('${org}', 'Organization', 'standard');
      insert into organization_settings (org_id, version, settings, created_by) values ('${org}', 1, '{}', 'operator');
      insert into partners (org_id, id, external_id, name, name_key, type, tier)
        select '${org}', 'prt_' || n, n::text, 'Partner', 'partner', 'gsi', 1 from generate_series(1, 2) n;
      insert into accounts (org_id, id, crm_id, name, created_at, updated_at)
        values ('${org}', 'acc_1', 'a', ' Éclat ÅÖ & Söhne', now(), now());
      insert into opportunities (org_id, id, account_id, crm_id, name, value, stage, status, created_at, updated_at) values
        ('${org}', 'opp_1', 'acc_1', 'o', 'Café Deal', 12.34, 'won', 'won', now(), now()),
        ('${org}', 'opp_2', 'acc_1', null, 'Prospective', 0, 'prospective', 'prospective', now(), now());
      insert into attribution_records
        (org_id, id, opportunity_id, partner_id, tier, status, policy_version, closed_date, created_at, updated_at)
        select '${org}', 'atr_' || n, 'opp_1', 'prt_' || n, 'co_sell', case n when 1 then 'active' else 'reversed' end, 1,
          '2026-01-01', now(), now() from generate_series(1, 2) n;
      insert into signals
        (org_id, id, type, state, partner_id, account_id, opportunity_id, fired_at, expires_at, rank, recommended_action, reasons, updated_at)
        select '${org}', 'sig_' || n, 'overlap', 'new', 'prt_' || n, 'acc_1', 'opp_' || n, '2026-01-02T03:04:05.060Z', now(), 0,
          'Call', '[]', now() from generate_series(1, 2) n;`);
}

/** What the migration has to make of them. */
export async function expectReadable(pool: Pool): Promise<void> {
  const read = async (sql: string) => (await pool.query(sql)).rows.map((row) => Object.values(row)[0]);
  for (const org of ['org_1', 'org_2']) {
    const of = `where org_id = '${org}' order by id`;
    expect(await read(`select name_key from accounts ${of}`)).toEqual([sortKey(' Éclat ÅÖ & Söhne')]);
    expect(await read(`select name_key from opportunities ${of}`)).toEqual([sortKey('Café Deal'), '']);
    const signals = await listSignals(pool, org as OrganizationId, {}, 10, null);
    expect(signals).toMatchObject([
      { account: { crm_id: 'a' }, opportunity: { name: 'Prospective', value: 0, stage: 'prospective' } },
      {
        ...{ account: { name: ' Éclat ÅÖ & Söhne' }, opportunity: { name: 'Café Deal', value: 12.34 } },
        ...{ owner: null, fired_at: new Date('2026-01-02T03:04:05.060Z') },
      },
    ]);
    expect(await read(`select credited_value from attribution_records ${of}`)).toEqual([12.34, 0]);
    const stale = await pool.query(
      `select s.shown as stored, w.shown as expected from signals s
      join accounts account on account.org_id = $1 and account.id = s.account_id
      join opportunities opportunity on opportunity.org_id = $1 and opportunity.id = s.opportunity_id
      cross join lateral (select ${shownOf()}) w where s.org_id = $1 and s.shown <> w.shown`,
      [org],
    );
    expect(stale.rows, 'signals show another text now: write it into signals.shown in a migration').toEqual(
      [],
    );
  }
}
