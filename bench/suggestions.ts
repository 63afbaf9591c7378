// How long does the background job take to find suggestions, and how much memory? Loads as many accounts as partner accounts
// of invented companies: some of the partner's are spelled the same, some have more or fewer words, some are other companies.
// Then waits until every record has been processed.
//
// Run after a build: node scripts/run-typescript.mjs bench/suggestions.ts [--rows 20000] [--straight]
// With --straight, the rows are written to the database instead of sent, with their keys and queue entries as ingest writes
// them, and with matches where a name key is unique on each list, but without signals: a million rows in minutes.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type AccountId, newId, type OrganizationId, type PartnerId } from '../src/contract/ids.ts';
import { pickOne, randomOf } from '../src/demo/random.ts';
import { maxHolders } from '../src/rules/matching/choose-matches.ts';
import { accountKeys, partnerAccountKeys } from '../src/rules/matching/matching.ts';
import { connect } from '../src/store/db/connection.ts';
import type { Db } from '../src/store/db/db.ts';
import { upsertAccounts } from '../src/store/facts/crm-facts.ts';
import { upsertPartnerAccounts } from '../src/store/facts/partner-facts.ts';
import { replaceAccountKeys, replacePartnerAccountKeys } from '../src/store/matching/matches.ts';
import { queueSuggestions } from '../src/store/matching/suggestion-queue.ts';
import { dbTo } from '../test/db.ts';
import { type Installation, startInstallation } from './installation.ts';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '20000' }, straight: { type: 'boolean', default: false } },
});
const rows = Number(values.rows);
const streamRows = 50_000;
const batchRows = 2_000;
const unknown = { domain: null, registry_number: null, deleted_at: null, source_updated_at: null };
const syllables =
  'ba bel cor dan dor fen gal har jor kel lan mar nor ost pel quin ros sel tor ul ver wan yor zel'.split(' ');
const endings = 'bridge brook dale field ford gate ham mere stead ton wick worth'.split(' ');
const trades =
  'Bank Foods Logistics Mills Motors Pharma Retail Shipping Software Steel Textiles Trading'.split(' ');
const forms = 'AG Corp GmbH Inc Ltd SA'.split(' ');
const affixes = 'Group Holding International Partners Services Solutions UK Wholesale'.split(' ');
const countries = 'AT BE CH DE ES FR GB IT NL US'.split(' ');

type ListedCompany = { external_id: string; name: string; country: string };

/** The rows of a company as they are sent. */
const sent: Record<'accounts' | 'partner_accounts', (company: ListedCompany) => object> = {
  accounts: ({ external_id, ...company }) => ({ crm_id: external_id, ...company }),
  partner_accounts: (company) => ({
    ...{ partner_external_id: 'p', ...company, relationship: 'customer' },
  }),
};

const installation = await startInstallation();
try {
  await measure(installation);
} finally {
  await installation.stop();
}

async function measure(installation: Installation): Promise<void> {
  const { connection, newOrganization, sendLines, pid } = installation;
  const key = await newOrganization(['ingest']);
  await sendLines('/ingest/v1/partners', key, [{ external_id: 'p', name: 'Partner', type: 'gsi', tier: 1 }]);
  const startedAt = performance.now();
  await (values.straight ? write(installation) : send(installation, key));
  say(`${((2 * rows) / ((performance.now() - startedAt) / 1_000)).toFixed(0)} rows a second`);

  const client = new pg.Client(connection);
  await client.connect();
  const count = async (text: string) => Number((await client.query(text)).rows[0].count);
  const loaded = performance.now();
  const seconds = () => (performance.now() - loaded) / 1_000;
  const memory: number[] = [];
  let said = 0;
  for (;;) {
    const waiting = await count('select coalesce(sum(size), 0) as count from suggestion_queue');
    memory.push(residentMb(pid));
    if (waiting === 0) break;
    if (seconds() - said >= 10) {
      said = seconds();
      say(`${said.toFixed(0)} s: ${waiting} records wait, ${memory.at(-1)?.toFixed(0)} MB`);
    }
    await delay(1_000);
  }
  say(`${rows} accounts and ${rows} partner accounts: complete after ${seconds().toFixed(0)} s`);
  say(`${(await count('select count(*) from matches where ended_at is null')).toFixed(0)} matches`);
  say(`${(await count('select count(*) from match_suggestions')).toFixed(0)} suggestions`);
  const quarter = Math.ceil(memory.length / 4);
  say(`memory of the service, first quarter: ${spread(memory.slice(0, quarter))}`);
  say(`memory of the service, last quarter: ${spread(memory.slice(-quarter))}`);
  await client.end();
}

async function send({ sendLines }: Installation, key: string): Promise<void> {
  for (const kind of ['accounts', 'partner_accounts'] as const)
    for (let from = 0; from < rows; from += streamRows)
      await sendLines(
        `/ingest/v1/${kind}`,
        key,
        [...companies(kind, from, Math.min(rows, from + streamRows))].map(sent[kind]),
      );
}

async function write({ connection }: Installation): Promise<void> {
  const pool = connect({ ...connection, max: 1 }, () => {});
  const { db, close } = dbTo(connection);
  const found = await pool.query<{ org_id: OrganizationId; id: PartnerId }>(
    'select org_id, id from partners',
  );
  const { org_id, id } = found.rows[0] as { org_id: OrganizationId; id: PartnerId };
  const [accountIds] = await Promise.all([writeAccounts(db, org_id), writePartnerAccounts(db, org_id, id)]);
  // Without a time limit, unlike the pool.
  const client = new pg.Client(connection);
  await client.connect();
  await client.query('analyze');
  const once = (table: string, held: string) =>
    `select key, ${held} from ${table} group by key having count(*) = 1`;
  const { rows: matched } = await client.query<{ account_id: AccountId }>(`
    insert into matches (org_id, partner_id, account_id, external_id, kind, key, confidence, started_at)
    select distinct on (account_id) '${org_id}', '${id}', account_id, external_id, 'name', key, 0.7, now()
    from (${once('account_keys', 'min(account_id) as account_id')}) a
    join (${once('partner_account_keys', 'min(external_id) as external_id')}) p using (key)
    order by account_id, key returning account_id`);
  const listed = Array.from({ length: rows }, (_, place) => ({ partner_id: id, external_id: `l${place}` }));
  await client.end();
  const ids = matched.map((match) => match.account_id);
  for (let from = 0; from < rows; from += streamRows) {
    const some = accountIds.slice(from, from + streamRows);
    await db.write(org_id, (tx) => queueSuggestions(tx, org_id, some, [], new Date()));
  }
  for (let from = 0; from < rows; from += streamRows) {
    const [some, others] = [ids.slice(from, from + streamRows), listed.slice(from, from + streamRows)];
    await db.write(org_id, (tx) => queueSuggestions(tx, org_id, some, others, new Date()));
  }
  await Promise.all([pool.end(), close()]);
}

async function writeAccounts(db: Db, orgId: OrganizationId): Promise<AccountId[]> {
  const ids: AccountId[] = [];
  for (let from = 0; from < rows; from += batchRows) {
    const facts = [...companies('accounts', from, Math.min(rows, from + batchRows))].map(
      ({ external_id, ...company }) => ({
        ...{ id: newId('acc'), crm_id: external_id, ...company, ...unknown },
        ...{ extra_domains: [], merged_into: null, owner: null, owner_key: null },
      }),
    );
    const keys = facts.flatMap((fact) => accountKeys(fact).map((key) => ({ account_id: fact.id, ...key })));
    const written = facts.map((fact) => fact.id);
    await db.write(orgId, async (tx) => {
      await upsertAccounts(tx, orgId, facts, new Date());
      await replaceAccountKeys(tx, orgId, [], keys, maxHolders);
    });
    ids.push(...written);
  }
  return ids;
}

async function writePartnerAccounts(db: Db, orgId: OrganizationId, partner_id: PartnerId): Promise<void> {
  for (let from = 0; from < rows; from += batchRows) {
    const facts = [...companies('partner_accounts', from, Math.min(rows, from + batchRows))].map(
      (company) => ({
        ...{ partner_id, ...company, ...unknown, relationship: 'customer' as const },
      }),
    );
    const keys = facts.flatMap((fact) =>
      partnerAccountKeys(fact).map(({ key }) => ({ partner_id, external_id: fact.external_id, key })),
    );
    await db.write(orgId, async (tx) => {
      await upsertPartnerAccounts(tx, orgId, facts);
      await replacePartnerAccountKeys(tx, orgId, facts, keys, maxHolders);
    });
  }
}

function* companies(
  kind: 'accounts' | 'partner_accounts',
  from: number,
  to: number,
): Generator<ListedCompany> {
  for (let place = from; place < to; place++) {
    const random = randomOf(1, 1, place);
    const one = (words: string[]) => pickOne(random, words);
    const word = () => one(syllables) + one(syllables) + one(syllables) + one(endings);
    const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
    const name = `${capital(word())} ${capital(random() < 0.3 ? word() : one(trades))}`;
    const country = one(countries);
    if (kind === 'accounts') {
      yield { external_id: `a${place}`, name: `${name} ${one(forms)}`, country };
      continue;
    }
    const fate = random();
    const listed =
      fate < 0.4 ? name : fate < 0.8 ? `${name} ${one(affixes)}` : `${capital(word())} ${one(trades)}`;
    yield { external_id: `l${place}`, name: listed, country };
  }
}

function spread(megabytes: number[]): string {
  const sorted = megabytes.toSorted((a, b) => a - b).map((one) => one.toFixed(0));
  return `${sorted[0]} to ${sorted.at(-1)} MB, median ${sorted[Math.floor(sorted.length / 2)]}`;
}

function residentMb(pid: number): number {
  const [, kb = 0] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1_024;
}

function say(line: string): void {
  console.log(line);
}
