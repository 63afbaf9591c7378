import type { OrganizationId } from '../../src/contract/ids.ts';
import { findCreditedDays, summarizeAttribution } from '../../src/store/credit/attribution-summary.ts';
import {
  countClosedOpportunities,
  countOpenOpportunities,
  listLargestOpportunities,
  listScoredPartners,
  sumCredit,
} from '../../src/store/credit/scorecard.ts';
import type { Tx } from '../../src/store/db/tx.ts';
import {
  countFired,
  countOpportunitiesOfFired,
  findWonDays,
} from '../../src/store/signals/signal-performance.ts';

type Statement = (tx: Tx) => Promise<unknown>;

/** The statements behind Home and the partner and attribution pages, over all data of an organization. */
export function reportStatements(org: OrganizationId): Record<string, Statement> {
  const since = new Date(Date.now() - 90 * 86_400_000);
  const kinds = ['joint_meeting'];
  const period = { from: since, until: new Date() };
  const year = { closed_after: since.toISOString().slice(0, 10) };
  const into = { currency: 'EUR', places: 2, rates: [] };
  return {
    'scored partners': (tx) => listScoredPartners(tx, org, {}, 5_000),
    'credited days': (tx) => findCreditedDays(tx, org, {}),
    credit: (tx) => sumCredit(tx, org, {}, into),
    'closed deals': (tx) => countClosedOpportunities(tx, org, kinds, {}),
    'open deals': (tx) => countOpenOpportunities(tx, org, kinds, since),
    'largest deals': (tx) => listLargestOpportunities(tx, org, {}, into, 5),
    'attribution summary': (tx) => summarizeAttribution(tx, org, {}),
    'attribution summary of a year': (tx) => summarizeAttribution(tx, org, year),
    'signals fired': (tx) => countFired(tx, org, period, 100),
    'deals of signals': (tx) => countOpportunitiesOfFired(tx, org, period, [], []),
    'won days of signals': (tx) => findWonDays(tx, org, period),
  };
}
