import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { comparableSpellings } from '../../src/rules/matching/company-name.ts';
import { type Installation, startInstallation } from '../installation.ts';
import type { Say, Section } from '../section.ts';
import { type Listed, type ListPair, readList, testPairs } from './lists.ts';

/**
 * Precision and recall on labelled lists that were not used for training: loads them into a service and reads the results
 * after it has processed every record.
 */
export async function measureMatching(_quick: boolean, say: Say): Promise<Section> {
  const installation = await startInstallation();
  const client = new pg.Client(installation.connection);
  const rows = [];
  try {
    await client.connect();
    for (const pair of testPairs) {
      say(pair.name);
      rows.push(await measurePair(installation, client, pair));
    }
  } finally {
    await client.end();
    await installation.stop();
  }
  return {
    name: 'matching',
    title: 'Matching two public lists of companies by name and country',
    rows,
    notes: [
      'Before: the keys of commit a9d4749, on the same lists. Recall: accounts matched with their counterpart, of all accounts. Precision: correct matches, of all matches.',
      'By spelling: correct matches / matches by the name without spaces, and sorted with abbreviations written out.',
      'No counterpart: accounts that get a suggestion after all counterparts were removed from the other list, so that every suggestion is wrong.',
    ],
    chart: { label: 'list', value: 'recall, with three suggestions (%)', better: 'higher' },
  };
}

async function measurePair(
  installation: Installation,
  client: pg.Client,
  { name, accounts: list, partnerAccounts: otherList, before }: ListPair,
) {
  const [accounts, partnerAccounts] = [readList(list), readList(otherList)];
  const { matches, suggestions } = await matchAndSuggest(installation, client, accounts, partnerAccounts);
  const right = matches.filter(isRight);
  const best = suggestions.filter(({ account_id, ids }) => ids[0] === account_id);
  const inThree = suggestions.filter(({ account_id, ids }) => ids.includes(account_id));
  const ids = new Set(accounts.map(({ id }) => id));
  const strangers = partnerAccounts.filter(({ id }) => !ids.has(id));
  const wrong = await matchAndSuggest(installation, client, accounts, strangers);

  return {
    list: name,
    accounts: `${accounts.length} of ${partnerAccounts.length}`,
    'recall before (%)': before.found,
    'precision before (%)': before.precision,
    'recall (%)': percent(right.length, accounts.length),
    'precision (%)': percent(right.length, matches.length),
    'by spelling': bySpelling(accounts, partnerAccounts, matches),
    'recall, with three suggestions (%)': percent(right.length + inThree.length, accounts.length),
    'best suggestion correct': `${best.length} of ${suggestions.length} (${percent(best.length, suggestions.length)} %)`,
    'no counterpart': `${wrong.suggestions.length} of ${accounts.length}`,
  };
}

type Match = { account_id: string; external_id: string; key: string };

/** The automatic matches, and the three best candidates of each account without one, by the IDs of the lists. */
async function matchAndSuggest(
  { newOrganization, sendLines }: Installation,
  client: pg.Client,
  accounts: Listed[],
  partnerAccounts: Listed[],
): Promise<{ matches: Match[]; suggestions: { account_id: string; ids: string[] }[] }> {
  const key = await newOrganization(['ingest']);
  await sendLines('/ingest/v1/partners', key, [{ external_id: key, name: 'Partner', type: 'gsi', tier: 1 }]);
  await sendLines(
    '/ingest/v1/accounts',
    key,
    accounts.map(({ id, name, country }) => ({ crm_id: id, name, country })),
  );
  await sendLines(
    '/ingest/v1/partner_accounts',
    key,
    partnerAccounts.map(({ id, name, country }) => ({
      ...{ partner_external_id: key, external_id: id, name, country, relationship: 'customer' },
    })),
  );
  const ofPartner = '(select org_id from partners where external_id = $1)';
  const waiting = `select from suggestion_queue where org_id = ${ofPartner} limit 1`;
  while ((await client.query(waiting, [key])).rowCount) await delay(500);
  const read = async (column: string, table: string) => {
    const { rows } = await client.query(
      `select a.crm_id as account_id, external_id, ${column} from ${table} x
       join accounts a on a.org_id = x.org_id and a.id = x.account_id
       where x.org_id = ${ofPartner} order by ${column} desc, external_id`,
      [key],
    );
    return rows;
  };
  const suggestions = new Map<string, string[]>();
  for (const { account_id, external_id } of await read('rank', 'match_suggestions'))
    suggestions.set(account_id, [...(suggestions.get(account_id) ?? []), external_id]);
  return {
    matches: await read('key', '(select * from matches where ended_at is null)'),
    suggestions: [...suggestions].map(([account_id, ids]) => ({ account_id, ids })),
  };
}

/** By the first spelling in which both names are equal. */
function bySpelling(accounts: Listed[], partnerAccounts: Listed[], matches: Match[]): string {
  const [own, theirs] = [accounts, partnerAccounts].map(
    (list) => new Map(list.map((one) => [one.id, comparableSpellings(one.name, one.country ?? '')[0]])),
  );
  const isFirst = ({ account_id, external_id }: Match) => own?.get(account_id) === theirs?.get(external_id);
  return [true, false]
    .map((first) => matches.filter((match) => isFirst(match) === first))
    .map((found) => `${found.filter(isRight).length}/${found.length}`)
    .join(', ');
}

function percent(part: number, whole: number): number {
  return Number(((100 * part) / whole).toFixed(1));
}

function isRight({ account_id, external_id }: Match): boolean {
  return account_id === external_id;
}
