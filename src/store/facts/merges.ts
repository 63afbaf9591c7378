import type { AccountId, OrganizationId, PartnerId, SignalId } from '../../contract/ids.ts';
import type { SignalState, SignalType } from '../../vocabulary.ts';
import { run } from '../db/statement.ts';
import type { Tx } from '../db/tx.ts';
import { moveSignalCounts } from '../signals/signal-counts.ts';

/** If both accounts have a prospective opportunity, that of the remaining account ($3) replaces the other. */
const prospectives = `
  select f.id as from_id, t.id as to_id from opportunities f
  join opportunities t on t.org_id = $1 and t.account_id = $3 and t.crm_id is null
  where f.org_id = $1 and f.account_id = $2 and f.crm_id is null`;

/** If two active signals would become the same, the one in progress stays, or else that of the remaining account. */
export async function endCollidingSignals(
  tx: Tx,
  orgId: OrganizationId,
  from: AccountId,
  into: AccountId,
  now: Date,
): Promise<{ signal_id: SignalId; from_state: SignalState }[]> {
  type Ended = { id: SignalId; partner_id: PartnerId; type: SignalType; from_state: SignalState };
  const { rows } = await tx.query<Ended>({
    name: 'end_colliding_signals',
    writes: ['signals'],
    text: `
      with prospectives as (${prospectives}),
      colliding as (
        select f.id as going, t.id as staying, f.state = 'in_progress' and t.state = 'new' as at_work
        from signals f
        join signals t on t.org_id = $1 and t.account_id = $3 and t.partner_id = f.partner_id and t.type = f.type
          and t.state in ('new', 'in_progress') and t.opportunity_id = coalesce(
            (select to_id from prospectives where from_id = f.opportunity_id), f.opportunity_id)
        where f.org_id = $1 and f.account_id = $2 and f.state in ('new', 'in_progress')
        for update of f, t
      ),
      ending as (
        select s.id, s.state from colliding c
        join signals s on s.org_id = $1 and s.id = case when c.at_work then c.staying else c.going end
      )
      update signals s set state = 'expired', ended_at = $4, end_reason = 'facts', updated_at = $4
      from ending e where s.org_id = $1 and s.id = e.id
      returning s.id, s.partner_id, s.type, e.state as from_state`,
    values: [orgId, from, into, now],
  });
  for (const { partner_id, type, from_state } of rows)
    moveSignalCounts(tx, orgId, [{ partner_id, type, from: from_state, to: 'expired' }]);
  return rows.map(({ id, from_state }) => ({ signal_id: id, from_state }));
}

export const moveSignals = run<[from: AccountId, into: AccountId, now: Date]>({
  name: 'move_signals',
  writes: ['signals'],
  text: `
    with prospectives as (${prospectives})
    update signals s
    set account_id = $3, updated_at = $4,
      opportunity_id = coalesce((select to_id from prospectives where from_id = s.opportunity_id), s.opportunity_id)
    where s.org_id = $1 and s.account_id = $2`,
});

export const joinProspectives = run<[from: AccountId, into: AccountId]>({
  name: 'join_prospectives',
  writes: ['opportunities'],
  text: `
    with gone as (
      delete from opportunities where org_id = $1 and id in (select from_id from (${prospectives}) p)
      returning first_evidence_on
    )
    update opportunities o set first_evidence_on = least(o.first_evidence_on, gone.first_evidence_on)
    from gone where o.org_id = $1 and o.account_id = $3 and o.crm_id is null`,
});

export const moveOpportunities = run<[from: AccountId, into: AccountId]>({
  name: 'move_opportunities',
  writes: ['opportunities'],
  text: `update opportunities set account_id = $3 where org_id = $1 and account_id = $2`,
});
export const moveActivities = run<[from: AccountId, into: AccountId]>({
  name: 'move_activities',
  writes: ['activities'],
  text: `update activities set account_id = $3 where org_id = $1 and account_id = $2`,
});
