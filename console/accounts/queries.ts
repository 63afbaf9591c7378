import type { Client } from '../../src/client/client.ts';
import { pages, record } from '../session/queries.ts';

export function accountDetail({ accounts }: Client, id: string) {
  return record(['account', id], (call) => accounts.get(id, call));
}

export function accountActivities({ accounts }: Client, id: string) {
  return pages(['account', id, 'activities'], (page, call) =>
    accounts.activities(id, { ...page, limit: 25 }, call),
  );
}

/** More than most accounts have; the rest loads page by page. */
const limit = 100;

export function accountOpportunities({ opportunities }: Client, account_id: string) {
  return pages(['opportunities', account_id], (page, call) =>
    opportunities.list({ account_id, limit, ...page }, call),
  );
}

/** Under the query key of signal lists, so that a change also shows here. */
export function accountSignals({ signals }: Client, account_id: string) {
  return pages(['signals', { account_id }], (page, call) =>
    signals.list({ account_id, limit, ...page }, call),
  );
}

export function opportunityDetail({ opportunities }: Client, id: string) {
  return record(['opportunity', id], (call) => opportunities.get(id, call));
}

type Of = { account_id: string } | { opportunity_id: string };

/** Under the query key of record lists, so that a dispute also shows here. */
export function creditOf({ attribution }: Client, of: Of) {
  return pages(['attribution', of], (page, call) => attribution.list({ ...of, limit, ...page }, call));
}
