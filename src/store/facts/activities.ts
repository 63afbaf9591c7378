import type { AccountId, PartnerId, SignalId } from '../../contract/ids.ts';
import { type Partner, PartnerSchema } from '../../contract/partner.ts';
import {
  AccountActivitySchema,
  type Activity,
  ActivitySchema,
  type PartnerActivity,
  PartnerActivitySchema,
} from '../../contract/signal.ts';
import { firstRows } from '../db/first-rows.ts';
import { itemColumns, toItem } from '../db/item-columns.ts';
import { pageOf, rowsOf } from '../db/statement.ts';

const columns = itemColumns(ActivitySchema, 'v');

/** The log of a row `s` of signals: the activities of its partner on its account. */
const log = `from activities v
  where v.org_id = $1 and v.account_id = s.account_id and v.partner_id = s.partner_id and v.deleted_at is null`;

/**
 * Identifies the state of the log of a row `s`. It is a sum over the activities and their versions, not a maximum, which
 * could stay the same when an activity moves away. 30,000 activities take 20 ms.
 */
export const logVersion = `(select sum(hashtextextended(v.id, v.version))::text ${log}) as log_version`;

/** Limits the memory for a reader, however long the log is and however slowly it is read. */
export const logPage = 100;

const newest = `order by v.occurred_at desc, v.id desc limit ${logPage}`;

/** The first page of the log of a row `s`, as JSON. */
export const firstLogPage = `(select json_agg(v) from (select ${columns} ${log} ${newest}) v) as log`;

export type ActivityInJson = { [K in keyof Activity]: Activity[K] extends Date ? string : Activity[K] };

export function fromJson({ occurred_at, recorded_at, ...activity }: ActivityInJson): Activity {
  return { ...activity, occurred_at: new Date(occurred_at), recorded_at: new Date(recorded_at) };
}

/** The next page of the log of a signal, newest first. A page that is not full is the last one. */
export const listSignalActivities = rowsOf<
  Activity,
  [id: SignalId, after: Pick<Activity, 'occurred_at' | 'id'>]
>({
  name: 'list_signal_activities',
  text: `
    select v.* from signals s
    cross join lateral (select ${columns} ${log} and (v.occurred_at, v.id) < ($3, $4) ${newest}) v
    where s.org_id = $1 and s.id = $2
    order by v.occurred_at desc, v.id desc`,
  values: (id, after) => [id, after.occurred_at, after.id],
});

/** Newest first. */
export const listPartnerActivities = pageOf<PartnerActivity, [partnerId: PartnerId]>(
  {
    name: 'list_partner_activities',
    text: (after) => {
      const page = `
        select * from activities where org_id = $1 and partner_id = $2 and deleted_at is null ${after}`;
      return `
        select ${itemColumns(PartnerActivitySchema, 'v')}
        from (${firstRows(page, 'occurred_at desc, id desc', '$3')}) v
        join accounts account on account.org_id = $1 and account.id = v.account_id
        order by v.occurred_at desc, v.id desc`;
    },
    after: 'and (occurred_at, id) < ($4, $5)',
  },
  toItem,
);

export type AccountActivity = Activity & { partner: Partner };
const accountActivity = { properties: { ...AccountActivitySchema.properties, partner: PartnerSchema } };

/** Activities on an account, newest first. */
export const listAccountActivities = pageOf<AccountActivity, [accountId: AccountId]>(
  {
    name: 'list_account_activities',
    text: (after) => {
      const page = `
        select ${itemColumns(accountActivity, 'v')}
        from activities v
        join partners partner on partner.org_id = $1 and partner.id = v.partner_id and partner.deleted_at is null
        where v.org_id = $1 and v.account_id = $2 and v.deleted_at is null ${after}`;
      return firstRows(page, 'occurred_at desc, id desc', '$3');
    },
    after: 'and (v.occurred_at, v.id) < ($4, $5)',
  },
  toItem,
);
