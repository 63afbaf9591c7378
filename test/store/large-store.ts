import pg from 'pg';
import type { AccountId, OrganizationId, PartnerId } from '../../src/contract/ids.ts';
import { shownOf } from '../../src/store/signals/signal-text.ts';
import { superuser } from './explain.ts';

/** The organization with nearly all data, and one that shares its tables. */
export const big = id('org', 1) as OrganizationId;
export const small = id('org', 2) as OrganizationId;
/** Added after the last ANALYZE, so the planner's statistics do not include it. */
export const newcomer = id('org', 3) as OrganizationId;
/** A hundred thousand active signals, all of one partner and one person, nearly all with one priority. */
export const lopsided = id('org', 4) as OrganizationId;
/** Half of all signals, activities and matches of an organization belong to its first partner. */
export const busyPartner = id('prt', 0) as PartnerId;
export const quietPartner = id('prt', 1_234) as PartnerId;
/** Has a thousand signals; other accounts have twenty. */
export const busyAccount = id('acc', 0) as AccountId;
export const quietAccount = id('acc', 4_321) as AccountId;
/** The last one: one in a hundred activities is on it. */
export const activeAccount = id('acc', 49_998) as AccountId;
const signalCount = 1_000_000;
/** Numbered events of the big organization; and the newest, which a transaction is about to number. */
export const eventCount = 50_000;
export const unnumberedCount = 100;
/** The only new signals of type pre_intent are the oldest of all. */
const rareCount = 60;

type Size = { partners: number; accounts: number; signals: number; activities: number };

const bigSize: Size = { partners: 5_000, accounts: 49_999, signals: signalCount, activities: 500_000 };
const smallSize: Size = { partners: 5_000, accounts: 4_999, signals: 20_000, activities: 10_000 };

/** Fills a migrated database as unevenly as possible: one partner, one account and one state have most rows. */
export async function fillLargeStore(databaseUrl: string): Promise<void> {
  await fill(databaseUrl, async (client) => {
    await withoutIndexes(client, async () => {
      await fillOrganization(client, big, bigSize);
      await fillOrganization(client, small, smallSize);
      await fillLopsided(client);
      await fillOperations(client);
    });
    await fillOrganization(client, newcomer, smallSize);
  });
}

/** Adds this many signals to an existing organization, with few other rows. */
export async function fillSignals(databaseUrl: string, org: OrganizationId, signals: number): Promise<void> {
  const accounts = Math.ceil(signals / 20) - 1;
  const size = { partners: 500, accounts, signals, activities: accounts };
  await asSuperuser(databaseUrl, async (client) => {
    await withoutIndexes(client, () => fillOrganization(client, org, size, { showsAll: true }));
    await client.query('vacuum');
  });
}

/** One organization, with credit for its won deals, in a database that a service already uses. */
export async function fillOneOrganization(
  databaseUrl: string,
  org: OrganizationId,
  size: Size,
): Promise<void> {
  await asSuperuser(databaseUrl, async (client) => {
    await fillOrganization(client, org, size, { showsAll: true });
    await client.query(`
      update opportunities set closed_date = current_date - abs(hashtext(id)) % 400 where org_id = '${org}' and status = 'won'`);
    await fillCredit(client, org, size.accounts);
    await client.query('analyze');
  });
}

/** Like a store after a first load: no table has statistics yet. */
export async function fillUnknownStore(databaseUrl: string): Promise<void> {
  await fill(databaseUrl, async (client) => {
    for (const table of ['partners', 'accounts', ...loadedTables])
      await client.query(`alter table ${table} set (autovacuum_enabled = off)`);
    await fillOrganization(client, big, { ...smallSize, partners: 500 }, { hasBusyPartner: false });
  });
}

export async function fill(databaseUrl: string, run: (client: pg.Client) => Promise<void>): Promise<void> {
  await asSuperuser(databaseUrl, async (client) => {
    await client.query(`
      insert into organizations (id, name, plan)
      select ${sqlId('org', 'i')}, 'Organization ' || i, 'standard' from generate_series(1, 3000) i`);
    await run(client);
  });
}

/** Skips foreign keys and triggers while a million rows are inserted. */
async function asSuperuser(databaseUrl: string, run: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(superuser(databaseUrl));
  await client.connect();
  try {
    await client.query(`set session_replication_role = replica; set maintenance_work_mem = '512MB'`);
    await run(client);
  } finally {
    await client.end();
  }
}

const loadedTables = [
  'opportunities',
  'partner_accounts',
  'activities',
  'account_keys',
  'partner_account_keys',
  'matches',
  'signals',
];

/** Building an index from a million rows is faster than inserting them one by one. Analyzes afterwards. */
async function withoutIndexes(client: pg.Client, run: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid::regclass::text = any($1)
      and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)`,
    [loadedTables],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await run();
  for (const { definition } of rows) await client.query(definition);
  await client.query('analyze');
}

async function fillOrganization(
  client: pg.Client,
  org: OrganizationId,
  { partners, accounts, signals, activities }: Size,
  /** Most of `shown` is not needed to find a page, and writing it takes most of the time. */
  { hasBusyPartner = true, showsAll = false } = {},
): Promise<void> {
  const partnerOf = (i: string) =>
    sqlId('prt', `case when ${hasBusyPartner} and ${i} / 3 % 2 = 0 then 0 else ${i} * 13 % ${partners} end`);
  await client.query(`
    insert into partners (org_id, id, external_id, name, name_key, type, tier, deleted_at)
    select '${org}', ${sqlId('prt', 'i')}, 'p' || i, 'Partner ' || i, md5(i::text),
      case when i % 100 = 0 then 'gsi' else 'technology_partner' end, case when i % 500 < 2 then 1 else 4 end,
      case when i % 20 = 19 then now() end
    from generate_series(0, ${partners - 1}) i`);
  await client.query(`
    insert into accounts (org_id, id, crm_id, name, name_key, domain, created_at, updated_at)
    select '${org}', ${sqlId('acc', 'i')}, 'a' || i, 'Account ' || i, 'account ' || i, 'account' || i || '.example', now(), now()
    from generate_series(0, ${accounts - 1}) i`);
  await client.query(`
    insert into opportunities (org_id, id, account_id, crm_id, name, name_key, value, stage, status, opened_at, first_evidence_on, created_at, updated_at)
    select '${org}', ${sqlId('opp', 'i')}, ${sqlId('acc', `i % ${accounts}`)}, case when i / ${accounts} < 2 then 'o' || i end,
      'Opportunity ' || i, 'opportunity ' || i, i, 'stage', case when i / ${accounts} = 2 then 'prospective' when i % 5 < 2 then 'open' else 'won' end,
      now() - i % 300 * interval '1 day', case when i / ${accounts} = 2 then current_date end, now(), now()
    from generate_series(0, ${3 * accounts - 1}) i`);
  await client.query(`
    insert into partner_accounts (org_id, partner_id, external_id, name, relationship)
    select '${org}', ${partnerOf('i')}, 'pa' || i, 'Their account ' || i, 'customer'
    from generate_series(0, ${2 * accounts - 1}) i`);
  await client.query(`
    insert into account_keys (org_id, key, account_id, kind)
    select '${org}', kind || ':account' || i, ${sqlId('acc', 'i')}, kind
    from generate_series(0, ${accounts - 1}) i cross join unnest(array['domain', 'name']) as kind`);
  await client.query(`
    insert into partner_account_keys (org_id, key, partner_id, external_id)
    select '${org}', kind || ':account' || i % ${accounts}, ${partnerOf('i')}, 'pa' || i
    from generate_series(0, ${2 * accounts - 1}) i cross join unnest(array['domain', 'name']) as kind`);
  await client.query(`
    insert into matches (org_id, partner_id, account_id, external_id, kind, key, confidence, started_at)
    select distinct on (2, 3) '${org}', ${partnerOf('i')}, ${sqlId('acc', `i % ${accounts}`)}, 'pa' || i, 'domain', 'domain:account' || i % ${accounts}, 1,
      now() - i * interval '1 minute'
    from generate_series(0, ${2 * accounts - 1}) i`);
  await client.query(`
    insert into activities (org_id, id, external_id, partner_id, account_id, kind, occurred_at, recorded_at, summary)
    select '${org}', ${sqlId('act', 'i')}, 'v' || i, ${partnerOf('i')},
      ${sqlId('acc', `case when i % 100 = 5 then ${accounts - 1} else i % ${accounts} end`)},
      case when i % 3 = 0 then 'joint_meeting' else 'content_touch' end,
      now() - (${activities} - i) * interval '1 minute', now(), 'What happened'
    from generate_series(0, ${activities - 1}) i`);
  const [shown, joined] = showsAll
    ? [
        'w.shown',
        `join accounts account on account.org_id = '${org}' and account.id = s.account_id
        join opportunities opportunity on opportunity.org_id = '${org}' and opportunity.id = s.opportunity_id
        cross join lateral (select ${shownOf()}) w`,
      ]
    : [`'"fired_at":"' || to_char(fired_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`, ''];
  // Without statistics, the planner assumes nearly empty tables, and reads all of one for each row of the other.
  if (showsAll) await client.query('analyze accounts, opportunities');
  await client.query(`
    insert into signals (org_id, id, type, state, partner_id, account_id, opportunity_id, fired_at, evidence_at, expires_at, ended_at, rank, priority, owner_key, assignee_key, recommended_action, reasons, updated_at, shown)
    select '${org}', ${sqlId('sig', 'i')},
      case when state = 'new' and nth < ${rareCount} * 3 or state <> 'new' and i / 7 % 10 = 0 then 'pre_intent' when i % 2 = 0 then 'overlap' else 'co_sell' end,
      state, ${partnerOf('i')}, s.account_id, s.opportunity_id, fired_at, fired_at, fired_at + interval '30 days', case when state in ('handled', 'expired') then fired_at + interval '10 days' end,
      0, nth * 7 % 101, 'owner' || i / 34 % 50 || '@example.com', case when i % 1000 = 0 then 'busy@example.com' when i % 100000 = 9 then 'rare@example.com' end, s.recommended_action, '[]', fired_at, ${shown}
    from (
      select i, i / 34 as nth, ${sqlId('acc', `case when i % 1000 = 7 then 0 else i % ${accounts} end`)} as account_id,
        ${sqlId('opp', `i % ${accounts}`)} as opportunity_id, date_trunc('milliseconds', now()) - (${signals} - i) * interval '30 seconds' as fired_at,
        'Call the partner' as recommended_action, null as urgency,
        case when i % 34 = 0 then case when i / 34 % 3 = 0 then 'new' else 'in_progress' end when i % 50 = 1 then 'handled' else 'expired' end as state
      from generate_series(0, ${signals - 1}) i
    ) s ${joined}`);
  await client.query(`
    insert into signal_counts (org_id, partner_id, type, state, count)
    select org_id, partner_id, type, state, count(*) from signals where org_id = '${org}' group by 1, 2, 3, 4`);
  await client.query(`
    insert into rechecks (org_id, account_id, partner_id, due_at)
    select org_id, account_id, partner_id, now() - interval '${org === small ? 2 : 1} days' + random() * interval '10 hours'
    from matches where org_id = '${org}' limit ${org === small ? 150 : 80_000}`);
}

/** One overlap, the oldest, is above priority 30, and so is the older half of the co-sell signals. */
async function fillLopsided(client: pg.Client): Promise<void> {
  await client.query(`
    insert into partners (org_id, id, external_id, name, name_key, type, tier)
    values ('${lopsided}', '${busyPartner}', 'p0', 'Partner 0', '0', 'gsi', 1)`);
  await client.query(`
    insert into signals (org_id, id, type, state, partner_id, account_id, opportunity_id, fired_at, evidence_at, expires_at, rank, priority, owner_key, assignee_key, recommended_action, reasons, updated_at, shown)
    select '${lopsided}', ${sqlId('sig', 'i')}, case when i % 10 = 1 then 'pre_intent' when i % 2 = 0 then 'overlap' else 'co_sell' end,
      case when i / 10 % 2 = 0 then 'new' else 'in_progress' end, '${busyPartner}', ${sqlId('acc', 'i')}, ${sqlId('opp', 'i')},
      fired_at, fired_at, fired_at + interval '30 days', 0, case when i = 0 or i % 2 = 1 and i % 10 <> 1 and i < 50000 then 99 else 30 end,
      'busy@example.com', 'busy@example.com', 'Call the partner', '[]', fired_at,
      '"fired_at":"' || to_char(fired_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'
    from (
      select i, date_trunc('milliseconds', now()) - (100000 - i) * interval '30 seconds' as fired_at from generate_series(0, 99999) i
    ) s`);
}

async function fillOperations(client: pg.Client): Promise<void> {
  await client.query(`
    insert into organization_settings (org_id, version, settings, created_by)
    select '${big}', version, '{}', 'operator' from generate_series(1, 1000) version`);
  await client.query(`
    insert into signal_changes (org_id, signal_id, number, from_state, to_state, changed_at)
    select '${big}', ${sqlId('sig', 'i')}, number, 'new', 'in_progress', now()
    from generate_series(0, 9999) i cross join generate_series(1, 2) number`);
  await client.query(`
    insert into api_keys (org_id, id, name, scopes, hash, revoked_at)
    select '${big}', ${sqlId('key', 'i')}, 'key', '{read}', sha256(i::text::bytea), case when i % 2 = 0 then now() end
    from generate_series(1, 5000) i`);
  await client.query(`
    insert into operator_audit (request_id, operator, method, path, address, status)
    select ${sqlId('req', 'i')}, 'operator', 'GET', '/', '::1', 200 from generate_series(1, 20000) i`);
  await client.query(`
    insert into events (org_id, id, kind, data, deliverable, created_at)
    select '${big}', ${sqlId('evt', 'i')}, 'signal.created', '{}', true, now() - (${eventCount} - i) * interval '80 seconds'
    from generate_series(1, ${eventCount + unnumberedCount}) i`);
  await client.query(`
    insert into event_numbers (org_id, number, event_id)
    select '${big}', i, ${sqlId('evt', 'i')} from generate_series(1, ${eventCount}) i`);
  await fillCredit(client, big, 100_000);
  await client.query(`
    insert into disputes (org_id, id, record_id, status, claimed_tier, tier_at_opening, justification, opened_by, opened_at)
    select '${big}', ${sqlId('dsp', 'i')}, ${sqlId('atr', 'i')}, 'withdrawn', 'sourced', 'co_sell', 'Ours', '{}', now()
    from generate_series(0, 49999) i`);
  await client.query(`
    insert into exchange_rates (org_id, date, base, quote, rate)
    select '${big}', current_date - day, 'EUR', 'Q' || quote, 1 + quote
    from generate_series(0, 1999) day cross join generate_series(10, 39) quote`);
  await client.query(`insert into event_counters (org_id, last_number) values ('${big}', ${eventCount})`);
}

async function fillCredit(client: pg.Client, org: OrganizationId, records: number): Promise<void> {
  await client.query(`
    insert into attribution_records (org_id, id, opportunity_id, partner_id, tier, status, settings_version, closed_date, credited_value, created_at, updated_at)
    select '${org}', ${sqlId('atr', 'i')}, ${sqlId('opp', 'i / 2')}, ${sqlId('prt', 'i % 2')}, 'co_sell', 'active', 1,
      current_date - (i / 2 % 400), 1, now(), now()
    from generate_series(0, ${records - 1}) i`);
}

export function id(prefix: string, number: number): string {
  return `${prefix}_${String(number).padStart(26, '0')}`;
}

export function sqlId(prefix: string, number: string): string {
  return `'${prefix}_' || lpad((${number})::text, 26, '0')`;
}
