import type { AccountId, OrganizationId, PartnerId, SignalId } from '../contract/ids.ts';
import type { Partner } from '../contract/partner.ts';
import { type Activity, ActivitySchema, type PartnerActivity } from '../contract/signal.ts';
import type { Position } from './cursor.ts';
import { firstRows } from './first-rows.ts';
import { rowsOf } from './statement.ts';
import { all, type Reader } from './tx.ts';

const columns = Object.keys(ActivitySchema.properties)
  .map((name) => `v.${name}`)
  .join(', ');

/** The log of a row `s` of signals: what its partner did on its account. */
const log = `from activities v
  where v.org_id = $1 and v.account_id = s.account_id and v.partner_id = s.partner_id and v.deleted_at is null`;

/**
 * One value for each state of the log of a row `s`. It is a sum over the activities, each with its version, and not
 * the newest of something, which one that moves away could leave as it is. 30,000 activities take 20 ms.
 */
export const logVersion = `(select sum(hashtextextended(v.id, v.version))::text ${log}) as log_version`;

/** So many at once: what a reader costs in memory, however long the log is and however slowly it is read. */
export const logPage = 100;

const newest = `order by v.occurred_at desc, v.id desc limit ${logPage}`;

/** The first page of the log of a row `s`, as JSON. */
export const firstLogPage = `(select json_agg(v) from (select ${columns} ${log} ${newest}) v) as log`;

export type ActivityInJson = Omit<Activity, 'occurred_at' | 'recorded_at'> & {
  occurred_at: string;
  recorded_at: string;
};

export function fromJson({ occurred_at, recorded_at, ...activity }: ActivityInJson): Activity {
  return { ...activity, occurred_at: new Date(occurred_at), recorded_at: new Date(recorded_at) };
}

/** The next page of the log of a signal, newest first; where one is shorter than a page, it is the last. */
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

export async function listPartnerActivities(
  db: Reader,
  orgId: OrganizationId,
  partnerId: PartnerId,
  limit: number,
  after: Position | null,
): Promise<PartnerActivity[]> {
  const page = `
    select * from activities
    where org_id = $1 and partner_id = $2 and deleted_at is null
      ${after ? 'and (occurred_at, id) < ($4, $5)' : ''}`;
  return all<PartnerActivity>(db, {
    name: `list_partner_activities${after ? '_after' : ''}`,
    text: `
      select ${columns}, json_build_object('id', a.id, 'name', a.name, 'crm_id', a.crm_id) as account
      from (${firstRows(page, 'occurred_at desc, id desc', '$3')}) v
      join accounts a on a.org_id = $1 and a.id = v.account_id
      order by v.occurred_at desc, v.id desc`,
    values: [orgId, partnerId, limit, ...(after ?? [])],
  });
}

export type AccountActivity = Activity & { partner: Partner };

/** What partners did on an account, newest first. */
export async function listAccountActivities(
  db: Reader,
  orgId: OrganizationId,
  accountId: AccountId,
  limit: number,
  after: Position | null = null,
): Promise<AccountActivity[]> {
  const page = `
    select ${columns}, json_build_object('id', p.id, 'name', p.name, 'type', p.type, 'tier', p.tier) as partner
    from activities v join partners p on p.org_id = $1 and p.id = v.partner_id and p.deleted_at is null
    where v.org_id = $1 and v.account_id = $2 and v.deleted_at is null
      ${after ? 'and (v.occurred_at, v.id) < ($4, $5)' : ''}`;
  return all<AccountActivity>(db, {
    name: `list_account_activities${after ? '_after' : ''}`,
    text: firstRows(page, 'occurred_at desc, id desc', '$3'),
    values: [orgId, accountId, limit, ...(after ?? [])],
  });
}
