import pg from 'pg';
import { maxHolders } from '../../src/rules/matching/choose-matches.ts';
import {
  findOpportunityActivities,
  findPreIntentSignals,
  findWonOpportunitiesSince,
} from '../../src/store/credit/opportunities.ts';
import type { Tx } from '../../src/store/db/tx.ts';
import {
  findAccountFacts,
  findMergeHeads,
  findOpportunityFacts,
  findProspective,
} from '../../src/store/facts/crm-facts.ts';
import {
  findActivityFacts,
  findPartnerAccountFacts,
  findPartnerFacts,
} from '../../src/store/facts/partner-facts.ts';
import {
  findCandidates,
  findHolders,
  findKeyHolders,
  findMatches,
} from '../../src/store/matching/matches.ts';
import {
  findOpenOpportunities,
  findPairActivities,
  findPairMatches,
  findPairNames,
  findPairsOn,
  lockPairSignals,
  type Pair,
} from '../../src/store/signals/pairs.ts';
import { findSignalItems } from '../../src/store/signals/signal-items.ts';
import { big } from './large-store.ts';

/** The statements that ingest sends to evaluate this many pairs, taken from anywhere in the store. */
export async function evaluationStatements(
  databaseUrl: string,
  count: number,
): Promise<Record<string, (tx: Tx) => Promise<unknown>>> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const matches = await client.query(
    `select account_id, partner_id, external_id from matches where org_id = $1 order by md5(external_id) limit $2`,
    [big, count],
  );
  const keys = await client.query(
    `select key, partner_id from partner_account_keys where org_id = $1 order by md5(external_id) limit $2`,
    [big, count],
  );
  const signals = await client.query(
    `select id from signals where org_id = $1 and state = 'new' order by md5(id) limit $2`,
    [big, count],
  );
  const won = await client.query(
    `select id, account_id from opportunities where org_id = $1 and status = 'won' order by md5(id) limit $2`,
    [big, count],
  );
  await client.end();
  const since = new Date(Date.now() - 120 * 86_400_000);
  const pairs = matches.rows.map(({ account_id, partner_id }): Pair => ({ account_id, partner_id }));
  const accounts = [...new Set(pairs.map((pair) => pair.account_id))];
  const crmIds = accounts.map((_, i) => `a${i}`);
  const opportunities = won.rows.map((opportunity) => ({ ...opportunity, since, until: new Date() }));
  const spans = pairs.map((pair) => ({ ...pair, since }));
  return {
    findPairsOn: (tx) => findPairsOn(tx, big, accounts, since),
    findPairNames: (tx) => findPairNames(tx, big, pairs),
    findPairMatches: (tx) => findPairMatches(tx, big, pairs),
    findPairActivities: (tx) => findPairActivities(tx, big, spans),
    findOpenOpportunities: (tx) => findOpenOpportunities(tx, big, accounts),
    lockPairSignals: (tx) => lockPairSignals(tx, big, pairs, since),
    findSignalItems: (tx) =>
      findSignalItems(
        tx,
        big,
        signals.rows.map((signal) => signal.id),
      ),
    findHolders: (tx) => findHolders(tx, big, keys.rows, maxHolders),
    findHoldersOfShared: (tx) => findHolders(tx, big, keys.rows, maxHolders, { shared: true }),
    findCandidates: (tx) => findCandidates(tx, big, accounts, maxHolders),
    findKeyHolders: (tx) => findKeyHolders(tx, big, keys.rows),
    findMatches: (tx) => findMatches(tx, big, accounts),
    findWonOpportunitiesSince: (tx) =>
      findWonOpportunitiesSince(
        tx,
        big,
        accounts.map((account_id) => ({ account_id, since: '2000-01-01' })),
      ),
    findOpportunityActivities: (tx) => findOpportunityActivities(tx, big, opportunities),
    findPreIntentSignals: (tx) =>
      findPreIntentSignals(
        tx,
        big,
        won.rows.map((opportunity) => opportunity.id),
      ),
    findMergeHeads: (tx) => findMergeHeads(tx, big, crmIds),
    findPartnerFacts: (tx) => findPartnerFacts(tx, big, crmIds),
    findAccountFacts: (tx) => findAccountFacts(tx, big, crmIds),
    findOpportunityFacts: (tx) => findOpportunityFacts(tx, big, crmIds),
    findPartnerAccountFacts: (tx) => findPartnerAccountFacts(tx, big, matches.rows),
    findActivityFacts: (tx) => findActivityFacts(tx, big, crmIds),
    findProspective: (tx) => findProspective(tx, big, accounts),
  };
}
