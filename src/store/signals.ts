import type { AccountId, OpportunityId, OrganizationId, PartnerId, SignalId } from '../contract/ids.ts';
import type { Signal, SignalState, SignalType } from '../contract/signal.ts';
import { signalStates, signalTypes } from '../contract/signal.ts';
import { logVersion } from './activities.ts';
import type { Queryable, Tx } from './connection.ts';
import type { Position } from './cursor.ts';
import { fence } from './fence.ts';
import { firstRows } from './first-rows.ts';

/** A list item, from rows `s` of signals and the three rows that it shows. */
const item = `
  s.id, s.type, s.state, s.fired_at, s.recommended_action,
  p.id as partner_id, p.name as partner_name, p.type as partner_type,
  a.id as account_id, a.name as account_name, a.crm_id as account_crm_id,
  o.id as opportunity_id, o.name as opportunity_name, o.value as opportunity_value, o.stage as opportunity_stage`;
const joins = `
  cross join lateral (select id, name, type from partners where org_id = $1 and id = s.partner_id ${fence}) p
  cross join lateral (select id, name, crm_id from accounts where org_id = $1 and id = s.account_id ${fence}) a
  cross join lateral (
    select id, name, value, stage from opportunities where org_id = $1 and id = s.opportunity_id ${fence}) o`;

type ItemRow = Pick<Signal, 'id' | 'type' | 'state' | 'fired_at' | 'recommended_action'> & {
  partner_id: PartnerId;
  partner_name: string;
  partner_type: Signal['partner']['type'];
  account_id: AccountId;
  account_name: string;
  account_crm_id: string;
  opportunity_id: OpportunityId;
  opportunity_name: string;
  opportunity_value: number;
  opportunity_stage: string;
};

function toItem(row: ItemRow): Signal {
  return {
    id: row.id,
    type: row.type,
    state: row.state,
    partner: { id: row.partner_id, name: row.partner_name, type: row.partner_type },
    account: { id: row.account_id, name: row.account_name, crm_id: row.account_crm_id },
    opportunity: {
      id: row.opportunity_id,
      name: row.opportunity_name,
      value: row.opportunity_value,
      stage: row.opportunity_stage,
    },
    fired_at: row.fired_at,
    recommended_action: row.recommended_action,
  };
}

export type SignalFilters = {
  type?: SignalType;
  state?: SignalState;
  partner_id?: PartnerId;
  account_id?: AccountId;
};

/**
 * Newest first. A page is found in an index and only its rows are joined. Where type or state is filtered, or a
 * partner, each combination of the two is read in its own order and the few are merged: at most twelve times the
 * page is read, however rare the combination that is asked for.
 */
export async function listSignals(
  db: Queryable,
  orgId: OrganizationId,
  filters: SignalFilters,
  limit: number,
  after: Position | null,
): Promise<Signal[]> {
  const values: unknown[] = [orgId, limit];
  const where = ['org_id = $1'];
  const name = ['list_signals'];
  const { partner_id, account_id, type, state } = filters;
  if (account_id) {
    where.push(`account_id = $${values.push(account_id)}`);
    name.push('account');
  }
  if (partner_id) {
    where.push(`partner_id = $${values.push(partner_id)}`);
    name.push('partner');
  }
  if (after) {
    where.push(`(fired_at, id) < ($${values.push(after[0])}, $${values.push(after[1])})`);
    name.push('after');
  }
  const typed = type && `$${values.push(type)}`;
  const stated = state && `$${values.push(state)}`;
  if (typed) name.push('type');
  if (stated) name.push('state');
  const columns = 'id, type, state, fired_at, recommended_action, partner_id, account_id, opportunity_id';
  const first = (select: string) => firstRows(select, 'fired_at desc, id desc', '$2');
  const select = `select ${columns} from signals where ${where.join(' and ')}`;
  let page: string;
  if (account_id) {
    // An account has few signals, and its index tells the others apart.
    page = first(`${select} ${typed ? `and type = ${typed}` : ''} ${stated ? `and state = ${stated}` : ''}`);
  } else if (partner_id || type || state) {
    page = first(`
      select b.* from (values ${typed ? `(${typed})` : listed(signalTypes)}) as t (type)
      cross join (values ${stated ? `(${stated})` : listed(signalStates)}) as u (state)
      cross join lateral (${first(`${select} and type = t.type and state = u.state`)}) b`);
  } else {
    page = first(select);
  }
  const { rows } = await db.query<ItemRow>({
    name: name.join('_'),
    text: `select ${item} from (${page}) s ${joins} order by s.fired_at desc, s.id desc`,
    values,
  });
  return rows.map(toItem);
}

function listed(values: readonly string[]): string {
  return values.map((value) => `('${value}')`).join(', ');
}

export async function findSignalItems(
  db: Queryable,
  orgId: OrganizationId,
  ids: SignalId[],
): Promise<Signal[]> {
  const { rows } = await db.query<ItemRow>({
    name: 'find_signal_items',
    text: `
      select ${item} from unnest($2::text[]) as g (id)
      cross join lateral (select * from signals where org_id = $1 and id = g.id ${fence}) s ${joins}`,
    values: [orgId, ids],
  });
  return rows.map(toItem);
}

export type SignalRow = Signal & {
  expires_at: Date;
  updated_at: Date;
  reasons: { rule: SignalType; rule_version: number; activity_ids: string[]; detail: string }[];
  /** Stands for the log, which is read apart. */
  log_version: string | null;
};

export async function findSignal(
  db: Queryable,
  orgId: OrganizationId,
  id: SignalId,
): Promise<SignalRow | undefined> {
  const { rows } = await db.query<ItemRow & Omit<SignalRow, keyof Signal>>({
    name: 'find_signal',
    text: `
      select ${item}, s.expires_at, s.updated_at, s.reasons, ${logVersion}
      from signals s ${joins} where s.org_id = $1 and s.id = $2`,
    values: [orgId, id],
  });
  const [row] = rows;
  if (!row) return undefined;
  const { expires_at, updated_at, reasons, log_version } = row;
  return { ...toItem(row), expires_at, updated_at, reasons, log_version };
}

/** Holds the signal for the rest of the transaction. */
export async function lockSignal(
  tx: Tx,
  orgId: OrganizationId,
  id: SignalId,
): Promise<SignalState | undefined> {
  const { rows } = await tx.query<{ state: SignalState }>({
    name: 'lock_signal',
    text: `select state from signals where org_id = $1 and id = $2 for update`,
    values: [orgId, id],
  });
  return rows[0]?.state;
}

export type NewSignal = {
  id: SignalId;
  type: SignalType;
  partner_id: PartnerId;
  account_id: AccountId;
  opportunity_id: OpportunityId;
  expires_at: Date;
  rank: number;
  recommended_action: string;
  reasons: unknown[];
};

/** Answers the ids that were really inserted: where another active one stands already, the constraint keeps it single. */
export async function insertSignals(
  tx: Tx,
  orgId: OrganizationId,
  signals: NewSignal[],
  now: Date,
): Promise<SignalId[]> {
  const { rows } = await tx.query<{ id: SignalId }>({
    name: 'insert_signals',
    text: `
      insert into signals (org_id, id, type, state, partner_id, account_id, opportunity_id, fired_at, expires_at, rank, recommended_action, reasons, updated_at)
      select $1, id, type, 'new', partner_id, account_id, opportunity_id, $3, expires_at, rank, recommended_action, reasons, $3
      from jsonb_to_recordset($2) as r (
        id text, type text, partner_id text, account_id text, opportunity_id text, expires_at timestamptz, rank smallint,
        recommended_action text, reasons jsonb)
      on conflict (org_id, account_id, partner_id, type, opportunity_id) where state in ('new', 'in_progress') do nothing
      returning id`,
    values: [orgId, JSON.stringify(signals), now],
  });
  return rows.map((row) => row.id);
}

export type SignalUpdate = {
  id: SignalId;
  state: SignalState;
  opportunity_id: OpportunityId;
  expires_at: Date;
  ended_at: Date | null;
  ended_by: string | null;
  rank: number;
  recommended_action: string;
  reasons: unknown[];
};

export async function updateSignals(
  tx: Tx,
  orgId: OrganizationId,
  updates: SignalUpdate[],
  now: Date,
): Promise<void> {
  await tx.query({
    name: 'update_signals',
    text: `
      update signals s
      set state = r.state, opportunity_id = r.opportunity_id, expires_at = r.expires_at, ended_at = r.ended_at,
        ended_by = r.ended_by, rank = r.rank, recommended_action = r.recommended_action, reasons = r.reasons, updated_at = $3
      from jsonb_to_recordset($2) as r (
        id text, state text, opportunity_id text, expires_at timestamptz, ended_at timestamptz, ended_by text,
        rank smallint, recommended_action text, reasons jsonb)
      where s.org_id = $1 and s.id = r.id`,
    values: [orgId, JSON.stringify(updates), now],
  });
}

export async function setSignalState(
  tx: Tx,
  orgId: OrganizationId,
  id: SignalId,
  change: { state: SignalState; ended_at: Date | null; ended_by: string | null },
  now: Date,
): Promise<void> {
  await tx.query({
    name: 'set_signal_state',
    text: `update signals set state = $3, ended_at = $4, ended_by = $5, updated_at = $6 where org_id = $1 and id = $2`,
    values: [orgId, id, change.state, change.ended_at, change.ended_by, now],
  });
}

/**
 * The organization of the signal that should have expired first, and the time: the one question of expiry that spans
 * organizations. A signal that somebody else is at is passed over, so that it delays no other.
 */
export async function findExpiry(tx: Tx): Promise<{ org_id: OrganizationId; now: Date } | undefined> {
  const { rows } = await tx.query<{ org_id: OrganizationId; now: Date }>({
    name: 'find_expiry',
    text: `
      select org_id, now() from signals where state = 'new' and expires_at <= now()
      order by expires_at limit 1 for update skip locked`,
  });
  return rows[0];
}

export async function expireDueSignals(tx: Tx, orgId: OrganizationId, limit: number): Promise<SignalId[]> {
  const { rows } = await tx.query<{ id: SignalId }>({
    name: `expire_due_signals_${limit}`,
    text: `
      update signals set state = 'expired', ended_at = now(), ended_by = 'time', updated_at = now()
      where org_id = $1 and id in (
        select id from signals where org_id = $1 and state = 'new' and expires_at <= now()
        order by expires_at limit ${limit} for update skip locked)
      returning id`,
    values: [orgId],
  });
  return rows.map((row) => row.id);
}

export type SignalCount = { type: SignalType; state: SignalState; count: number };

export async function countSignals(db: Queryable, orgId: OrganizationId): Promise<SignalCount[]> {
  const { rows } = await db.query<SignalCount>({
    name: 'count_signals',
    text: `select type, state, sum(count) as count from signal_counts where org_id = $1 group by type, state`,
    values: [orgId],
  });
  return rows;
}
