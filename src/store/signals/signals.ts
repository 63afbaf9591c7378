import type { AccountId, OpportunityId, OrganizationId, SignalId } from '../../contract/ids.ts';
import { type Person, personKey } from '../../contract/person.ts';
import type { DismissReason, EndReason, SignalState } from '../../vocabulary.ts';
import { array } from '../db/columns.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { cellOf, firstOf, run } from '../db/statement.ts';
import type { Tx } from '../db/tx.ts';
import { addDueWork } from '../delivery/due-organizations.ts';
import { inserted, type NewSignal, type PairSignal, type SignalUpdate, updated } from './signal-columns.ts';
import { moveSignalCounts } from './signal-counts.ts';
import { shownOf } from './signal-text.ts';

export type LockedSignal = Pick<PairSignal, 'id' | 'account_id' | 'partner_id' | 'state' | 'end_reason'> & {
  assignee: Person | null;
  dismiss_reason: DismissReason | null;
};

/** Locked until the end of the transaction. */
export const lockSignal = firstOf<LockedSignal, [id: SignalId], Tx>({
  name: 'lock_signal',
  text: `
    select id, account_id, partner_id, state, end_reason, assignee, dismiss_reason from signals
    where org_id = $1 and id = $2 for update`,
});

/** Whether one of these is expired now. */
export const hasExpired = cellOf<boolean, [ids: string[]]>({
  name: 'has_expired',
  text: `select exists (select from signals where org_id = $1 and id = any($2) and state = 'expired') as found`,
});

/**
 * Returns the IDs that were inserted: if there is already an active signal of the kind, the constraint skips the new one.
 */
export async function insertSignals(
  tx: Tx,
  orgId: OrganizationId,
  signals: NewSignal[],
  now: Date,
): Promise<SignalId[]> {
  const { rows } = await tx.query<Moved>({
    name: 'insert_signals',
    writes: ['signals'],
    text: `
      insert into signals (org_id, state, fired_at, updated_at, owner_key, shown, ${inserted.list})
      select $1, 'new', $3::timestamptz, $3, w.owner_key, w.shown, ${inserted.of('r')}
      from jsonb_to_recordset($2) as r ${inserted.record} ${shownOfEach('$3::timestamptz')}
      on conflict (org_id, account_id, partner_id, type, opportunity_id) where state in ('new', 'in_progress') do nothing
      returning ${moved}`,
    values: [orgId, JSON.stringify(signals), now],
  });
  for (const row of rows) noteMove(tx, orgId, row, null);
  return rows.map((row) => row.id);
}

export async function updateSignals(
  tx: Tx,
  orgId: OrganizationId,
  updates: SignalUpdate[],
  now: Date,
): Promise<void> {
  const { rows } = await tx.query<Moved>({
    name: 'update_signals',
    writes: ['signals'],
    text: `
      update signals s set ${updated.from('r', 'id', 'account_id', 'fired_at')},
        owner_key = r.owner_key, shown = r.shown, updated_at = $3
      from (
        select r.*, w.* from jsonb_to_recordset($2) as r ${updated.record} ${shownOfEach('r.fired_at')}
      ) r
      where s.org_id = $1 and s.id = r.id
      returning s.id, s.partner_id, s.type, s.state, s.expires_at`,
    values: [orgId, JSON.stringify(updates), now],
  });
  const states = new Map(updates.map(({ id, from_state }) => [id, from_state]));
  for (const row of rows) noteMove(tx, orgId, row, states.get(row.id) ?? null);
}

export async function setSignalState(
  tx: Tx,
  orgId: OrganizationId,
  id: SignalId,
  change: {
    from: SignalState;
    to: SignalState;
    ended_at: Date | null;
    end_reason: EndReason | null;
    dismiss_reason: DismissReason | null;
  },
  now: Date,
): Promise<void> {
  const { rows } = await tx.query<Moved>({
    name: 'set_signal_state',
    writes: ['signals'],
    text: `
      update signals set state = $3, ended_at = $4, end_reason = $5, dismiss_reason = $6, updated_at = $7,
        first_action_at = coalesce(first_action_at, $7),
        taken_up_at = case when $3 in ('in_progress', 'handled') then coalesce(taken_up_at, $7) else taken_up_at end
      where org_id = $1 and id = $2
      returning ${moved}`,
    values: [orgId, id, change.to, change.ended_at, change.end_reason, change.dismiss_reason, now],
  });
  for (const row of rows) noteMove(tx, orgId, row, change.from);
}

export const setAssignee = run<[id: SignalId, assignee: Person | null, now: Date]>({
  name: 'set_assignee',
  writes: ['signals'],
  text: `
    update signals set assignee = $3, assignee_key = $4, updated_at = $5, first_action_at = coalesce(first_action_at, $5)
    where org_id = $1 and id = $2`,
  values: (id, assignee, now) => [id, assignee, personKey(assignee), now],
});

/** For each row `r` of a batch. */
function shownOfEach(firedAt: string): string {
  return `cross join lateral (
    select ${shownOf('r', firedAt)} from accounts account, opportunities opportunity
    where account.org_id = $1 and account.id = r.account_id
      and opportunity.org_id = $1 and opportunity.id = r.opportunity_id ${plannerFence}) w`;
}

/** Rewrites the stored text of all signals on these accounts and deals. Locks in the common order of signals. */
export async function updateShown(
  tx: Tx,
  orgId: OrganizationId,
  changed: { accounts?: Iterable<AccountId>; opportunities?: Iterable<OpportunityId> },
): Promise<void> {
  const accounts = [...(changed.accounts ?? [])];
  const opportunities = [...(changed.opportunities ?? [])];
  if (accounts.length + opportunities.length === 0) return;
  const on = (column: string, given: string) => `
    select s.id from unnest(${given}::text[]) as g (id)
    cross join lateral (select id from signals where org_id = $1 and ${column} = g.id ${plannerFence}) s`;
  await tx.query({
    name: 'update_shown',
    writes: ['signals'],
    text: `
      with r as (
        select s.id, ${shownOf()}
        from (${on('account_id', '$2')} union ${on('opportunity_id', '$3')} order by id) g
        cross join lateral (
          select * from signals where org_id = $1 and id = g.id ${plannerFence} for update) s
        cross join lateral (select * from accounts where org_id = $1 and id = s.account_id ${plannerFence}) account
        cross join lateral (select * from opportunities where org_id = $1 and id = s.opportunity_id ${plannerFence}) opportunity
      )
      update signals s set owner_key = r.owner_key, shown = r.shown from r
      where s.org_id = $1 and s.id = r.id and (s.shown <> r.shown or s.owner_key is distinct from r.owner_key)`,
    values: [orgId, array(accounts), array(opportunities)],
  });
}

/** One small step. */
export async function expireDueSignals(tx: Tx, orgId: OrganizationId, now: Date): Promise<SignalId[]> {
  const { rows } = await tx.query<Moved>({
    name: 'expire_due_signals',
    writes: ['signals'],
    text: `
      update signals set state = 'expired', ended_at = $2, end_reason = 'time', updated_at = $2
      where org_id = $1 and id in (
        select id from signals where org_id = $1 and state = 'new' and expires_at <= $2
        order by expires_at limit 500 for update skip locked)
      returning ${moved}`,
    values: [orgId, now],
  });
  for (const row of rows) noteMove(tx, orgId, row, 'new');
  return rows.map((row) => row.id);
}

/** The columns that a statement returns for each signal whose state it changes. */
const moved = 'id, partner_id, type, state, expires_at';
type Moved = Pick<PairSignal, 'id' | 'partner_id' | 'type' | 'state' | 'expires_at'>;

/** Updates the counts, and schedules the expiry of a new signal. */
function noteMove(tx: Tx, orgId: OrganizationId, row: Moved, from: SignalState | null): void {
  moveSignalCounts(tx, orgId, [{ partner_id: row.partner_id, type: row.type, from, to: row.state }]);
  if (row.state === 'new') addDueWork(tx, orgId, row.expires_at);
}
