// How long does the background take to find suggestions, and how much memory? Loads as many accounts as partner accounts,
// of invented companies: of those of the partner some are spelled the same, some have words more or less, some are
// others. Then waits until every record has been looked at.
//
// Run after a build: node scripts/run-typescript.mjs bench/suggestions.ts [--rows 20000]
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { pick, randomOf } from '../src/demo/random.ts';
import { type Installation, startInstallation } from './installation.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '20000' } } });
const rows = Number(values.rows);
const streamRows = 50_000;
const syllables =
  'ba bel cor dan dor fen gal har jor kel lan mar nor ost pel quin ros sel tor ul ver wan yor zel'.split(' ');
const endings = 'bridge brook dale field ford gate ham mere stead ton wick worth'.split(' ');
const trades =
  'Bank Foods Logistics Mills Motors Pharma Retail Shipping Software Steel Textiles Trading'.split(' ');
const forms = 'AG Corp GmbH Inc Ltd SA'.split(' ');
const affixes = 'Group Holding International Partners Services Solutions UK Wholesale'.split(' ');
const countries = 'AT BE CH DE ES FR GB IT NL US'.split(' ');

const installation = await startInstallation();
try {
  await measure(installation);
} finally {
  await installation.stop();
}

async function measure({ connection, newOrganization, sendLines, pid }: Installation): Promise<void> {
  const key = await newOrganization(['ingest']);
  await sendLines('/ingest/v1/partners', key, [{ external_id: 'p', name: 'Partner', type: 'gsi', tier: 1 }]);
  for (const kind of ['accounts', 'partner_accounts'] as const) {
    const startedAt = performance.now();
    for (let from = 0; from < rows; from += streamRows)
      await sendLines(`/ingest/v1/${kind}`, key, [
        ...companies(kind, from, Math.min(rows, from + streamRows)),
      ]);
    say(`${kind}: ${(rows / ((performance.now() - startedAt) / 1_000)).toFixed(0)} rows a second`);
  }

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
  const half = memory.slice(Math.floor(memory.length / 2));
  say(`${rows} accounts and ${rows} partner accounts: complete after ${seconds().toFixed(0)} s`);
  say(`${(await count('select count(*) from matches where ended_at is null')).toFixed(0)} matches`);
  say(`${(await count('select count(*) from match_suggestions')).toFixed(0)} suggestions`);
  const most = (one: number[]) => Math.max(...one).toFixed(0);
  say(`memory of the service: ${most(memory)} MB at most, ${most(half)} MB in the second half`);
  await client.end();
}

function* companies(kind: 'accounts' | 'partner_accounts', from: number, to: number): Generator<object> {
  for (let place = from; place < to; place++) {
    const random = randomOf(1, 1, place);
    const one = (words: string[]) => pick(random, words);
    const word = () => one(syllables) + one(syllables) + one(syllables) + one(endings);
    const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
    const name = `${capital(word())} ${capital(random() < 0.3 ? word() : one(trades))}`;
    const country = one(countries);
    if (kind === 'accounts') {
      yield { crm_id: `a${place}`, name: `${name} ${one(forms)}`, country };
      continue;
    }
    const fate = random();
    const listed =
      fate < 0.4 ? name : fate < 0.8 ? `${name} ${one(affixes)}` : `${capital(word())} ${one(trades)}`;
    yield {
      partner_external_id: 'p',
      external_id: `l${place}`,
      name: listed,
      country,
      relationship: 'customer',
    };
  }
}

function residentMb(pid: number): number {
  const [, kb = 0] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1_024;
}

function say(line: string): void {
  console.log(line);
}
