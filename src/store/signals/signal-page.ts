import type { AccountId, PartnerId } from '../../contract/ids.ts';
import { personKey } from '../../contract/person.ts';
import type { Signal } from '../../contract/signal.ts';
import {
  type EndReason,
  type SignalState,
  type SignalType,
  type signalSorts,
  signalStates,
  signalTypes,
} from '../../vocabulary.ts';
import type { Position } from '../db/cursor.ts';
import { firstRows } from '../db/first-rows.ts';
import { accountsFound, type Search } from '../facts/begins-with.ts';
import { active, columnsOfItem } from './signal-text.ts';

export type SignalFilters = {
  type?: SignalType;
  state?: SignalState;
  end_reason?: EndReason;
  partner_id?: PartnerId;
  account_id?: AccountId;
  /** Email addresses. */
  owner?: string;
  assignee?: string;
  sort?: (typeof signalSorts)[number];
  min_priority?: number;
  /** Of the account. */
  search?: Search;
};

/**
 * The query for the rows of a page. It merges index ranges that have the order of the page, so it reads little more than the
 * page, however rare the requested signals are. `$1` is the organization and `$2` the number of rows; other parameters are
 * appended to `values`.
 */
export function selectPage(filters: SignalFilters, after: Position | null, values: unknown[]): string {
  const { type, end_reason, account_id, partner_id, owner, assignee, sort, min_priority, search } = filters;
  // What ended without being handled is expired.
  const state = filters.state ?? (end_reason && (end_reason === 'handled' ? 'handled' : 'expired'));
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const equal = (column: string, value: unknown) => (value ? [`${column} = ${parameter(value)}`] : []);
  const key = sortKey(filters);
  const conditions = [
    'org_id = $1',
    ...equal('account_id', account_id),
    ...equal('partner_id', partner_id),
    ...equal('end_reason', end_reason),
    ...equal('owner_key', owner && personKey({ email: owner })),
    ...equal('assignee_key', assignee && personKey({ email: assignee })),
    ...(after ? [`(${key.join(', ')}) < (${after.map(parameter).join(', ')})`] : []),
  ];
  // Exactly the active signals have a priority, of at least 0.
  const onlyActive = sort === 'priority' || min_priority !== undefined;
  const least = min_priority ? `${parameter(min_priority)}::int` : undefined;
  const ofPriority = [...(onlyActive ? [active] : []), ...(least ? [`priority >= ${least}`] : [])];

  const isFiltered = type || state || partner_id || owner || assignee;
  if (search) return firstOf(ofAccountsFound(search));
  if (account_id) return firstOf(ofAccount());
  if (sort === 'priority') return firstOf(isFiltered ? ofTypesAndStates(ofPriority) : signals(ofPriority));
  if (least) return firstOf(ofPriorities(least));
  // If this condition were inside the ranges, the planner would read and sort all active signals, because their indexes are
  // smaller.
  if (onlyActive) return firstOf(`${ofTypesAndStates()} where u.${active}`);
  return firstOf(isFiltered ? ofTypesAndStates() : signals());

  function firstOf(select: string): string {
    return firstRows(select, pageOrder(filters), '$2');
  }

  function signals(more: string[] = []): string {
    return `select ${columnsOfItem} from signals where ${[...conditions, ...more].join(' and ')}`;
  }

  /** All signals of the account: it has few. */
  function ofAccount(...more: string[]): string {
    return signals([...equal('type', type), ...equal('state', state), ...ofPriority, ...more]);
  }

  /** One range per account. A search finds few. */
  function ofAccountsFound(search: Search): string {
    const list = firstOf(ofAccount('account_id = a.id'));
    return `select b.* from (${accountsFound(search, values)}) a cross join lateral (${list}) b`;
  }

  /** One range for each type and state, and for each row of `join`. */
  function ofTypesAndStates(more: string[] = [], join = ''): string {
    const types = type ? `(${parameter(type)})` : listed(signalTypes);
    const states = state ? `(${parameter(state)})` : listed(onlyActive ? activeStates : signalStates);
    const list = firstOf(signals(['type = t.type', 'state = u.state', ...more]));
    return `
      select b.* from (values ${types}) as t (type) cross join (values ${states}) as u (state) ${join}
      cross join lateral (${list}) b`;
  }

  /**
   * One range for each type, state and priority, newest first. Ten priorities that an index has together are one range: from
   * 37, there are ranges for 40 to 49, 50 to 59, ..., 100, and for 37, 38 and 39.
   */
  function ofPriorities(least: string): string {
    const firstTen = `(${least} + 9) / 10`;
    const tens = `cross join generate_series(${firstTen}, 10) as v (ten)`;
    const ones = `cross join generate_series(${least}, ${firstTen} * 10 - 1) as v (one)`;
    return `
      ${ofTypesAndStates([active, 'priority / 10 = v.ten'], tens)}
      union all
      ${ofTypesAndStates([active, 'priority = v.one'], ones)}`;
  }
}

const activeStates: SignalState[] = ['new', 'in_progress'];

function sortKey({ sort }: SignalFilters): string[] {
  return sort === 'priority' ? ['priority', 'fired_at', 'id'] : ['fired_at', 'id'];
}

/** For `order by`. */
export function pageOrder(filters: SignalFilters, alias = ''): string {
  return sortKey(filters)
    .map((column) => `${alias}${column} desc`)
    .join(', ');
}

/** The position of a signal in the list with these filters. */
export function signalPosition({ priority, fired_at, id }: Signal, { sort }: { sort?: string }): Position {
  return [...(sort === 'priority' ? [String(priority)] : []), fired_at.toISOString(), id];
}

function listed(values: readonly string[]): string {
  return values.map((value) => `('${value}')`).join(', ');
}
