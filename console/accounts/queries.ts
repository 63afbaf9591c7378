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

/** All that an account usually has, and more page by page. */
const limit = 100;

export function accountDeals({ opportunities }: Client, account_id: string) {
  return pages(['deals', account_id], (page, call) =>
    opportunities.list({ account_id, limit, ...page }, call),
  );
}

/** Under the key of the signals' lists, so that a change shows here, too. */
export function accountSignals({ signals }: Client, account_id: string) {
  return pages(['signals', { account_id }], (page, call) =>
    signals.list({ account_id, limit, ...page }, call),
  );
}

export function dealDetail({ opportunities }: Client, id: string) {
  return record(['deal', id], (call) => opportunities.get(id, call));
}

type Of = { account_id: string } | { opportunity_id: string };

/** Under the key of the records' lists, so that a dispute shows here, too. */
export function creditOf({ attribution }: Client, of: Of) {
  return pages(['attribution', of], (page, call) => attribution.list({ ...of, limit, ...page }, call));
}
