import { Type } from 'typebox';
import type { AccountId, OrganizationId, PartnerId, SignalId } from '../../contract/ids.ts';
import { personKey } from '../../contract/person.ts';
import {
  type Activity,
  type Signal,
  type SignalDetail,
  SignalDetailSchema,
  SignalSchema,
} from '../../contract/signal.ts';
import {
  type SignalState,
  type SignalType,
  type signalSorts,
  signalStates,
  signalTypes,
} from '../../vocabulary.ts';
import type { Position } from '../db/cursor.ts';
import { firstRows } from '../db/first-rows.ts';
import { itemColumns } from '../db/item-columns.ts';
import { separate, separatorText, type Texts } from '../db/json-page.ts';
import { fence } from '../db/planner-fence.ts';
import { variant } from '../db/statement.ts';
import { all, first, type Reader } from '../db/tx.ts';
import { type ActivityInJson, firstLogPage, fromJson, logVersion } from '../facts/activities.ts';
import { accountsFound, type Search } from '../facts/begins-with.ts';
import { type ChangeInJson, type HistoryEntry, history, toHistoryEntry } from './signal-changes.ts';
import { active, joinPartnerText, signalText } from './signal-text.ts';

const activeStates: SignalState[] = ['new', 'in_progress'];

export type SignalFilters = {
  type?: SignalType;
  state?: SignalState;
  partner_id?: PartnerId;
  account_id?: AccountId;
  /** E-mail addresses. */
  owner?: string;
  assignee?: string;
  sort?: (typeof signalSorts)[number];
  min_priority?: number;
  /** Of the account. */
  search?: Search;
};

/** Newest first, or highest priority first. Each signal comes as JSON; see `readSignal`. Only the rows of the page are joined. */
export async function listSignalTexts(
  db: Reader,
  orgId: OrganizationId,
  filters: SignalFilters,
  limit: number,
  after: Position | null,
): Promise<Texts> {
  const values: unknown[] = [orgId, limit];
  const page = selectPage(filters, after, values);
  const text = `
    select string_agg(${signalText}, ${separatorText} order by ${descending(sortKey(filters), 's.')}) as texts, count(*)
    from (${page}) s ${joinPartnerText}`;
  return (await first<Texts>(db, variant('list_signals', text, values))) as Texts;
}

/**
 * The rows of a page, each shape of it from lists that an index has in order, so that it reads little more than the page
 * however rare the signals are that it asks for. `$1` is the organization and `$2` the number of rows; the other parameters
 * are added to `values`.
 */
function selectPage(filters: SignalFilters, after: Position | null, values: unknown[]): string {
  const { type, state, account_id, partner_id, owner, assignee, sort, min_priority, search } = filters;
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const equal = (column: string, value: unknown) => (value ? [`${column} = ${parameter(value)}`] : []);
  const key = sortKey(filters);
  const conditions = [
    'org_id = $1',
    ...equal('account_id', account_id),
    ...equal('partner_id', partner_id),
    ...equal('owner_key', owner && personKey({ email: owner })),
    ...equal('assignee_key', assignee && personKey({ email: assignee })),
    ...(after ? [`(${key.join(', ')}) < (${after.map(parameter).join(', ')})`] : []),
  ];
  const signals = (...more: string[]) =>
    `select ${pageColumns} from signals where ${[...conditions, ...more].join(' and ')}`;
  const firstOf = (select: string) => firstRows(select, descending(key), '$2');

  const byPriority = sort === 'priority';
  const onlyActive = byPriority || min_priority !== undefined;
  // All active signals have a priority of at least 0.
  const least = min_priority ? `${parameter(min_priority)}::int` : undefined;
  const ofLeast = [...(onlyActive ? [active] : []), ...(least ? [`priority >= ${least}`] : [])];

  // An account has few signals, and a search finds few accounts.
  if (search || account_id) {
    const filtered = [...equal('type', type), ...equal('state', state), ...ofLeast];
    if (!search) return firstOf(signals(...filtered));
    return firstOf(`
      select b.* from (${accountsFound(search, values)}) a
      cross join lateral (${firstOf(signals(...filtered, 'account_id = a.id'))}) b`);
  }

  const isFiltered = type || state || partner_id || owner || assignee;
  if (!isFiltered && (byPriority || !onlyActive)) return firstOf(signals(...ofLeast));

  // A list for each type and state, and for `each` more, of which the first rows are merged.
  const types = type ? `(${parameter(type)})` : listed(signalTypes);
  const states = state ? `(${parameter(state)})` : listed(onlyActive ? activeStates : signalStates);
  const merged = (more: string[], each = '') => `
    select b.* from (values ${types}) as t (type) cross join (values ${states}) as u (state) ${each}
    cross join lateral (${firstOf(signals('type = t.type', 'state = u.state', ...more))}) b`;
  if (byPriority) return firstOf(merged(ofLeast));
  // Inside of the lists, this condition makes the planner read all active signals and sort them: their indexes are smaller.
  if (!least) return firstOf(`${merged([])} ${onlyActive ? `where u.${active}` : ''}`);

  // Newest first of the priorities from 37: those of 40 to 49, 50 to 59, ..., 100, and those of 37, 38 and 39.
  const tens = `(${least} + 9) / 10`;
  return firstOf(`
    ${merged([active, 'priority / 10 = v.tens'], `cross join generate_series(${tens}, 10) as v (tens)`)}
    union all
    ${merged([active, 'priority = v.one'], `cross join generate_series(${least}, ${tens} * 10 - 1) as v (one)`)}`);
}

const pageColumns = 'id, type, state, fired_at, priority, assignee, partner_id, shown';

function sortKey({ sort }: SignalFilters): string[] {
  return sort === 'priority' ? ['priority', 'fired_at', 'id'] : ['fired_at', 'id'];
}

function descending(key: string[], alias = ''): string {
  return key.map((column) => `${alias}${column} desc`).join(', ');
}

function listed(values: readonly string[]): string {
  return values.map((value) => `('${value}')`).join(', ');
}

export async function listSignals(...list: Parameters<typeof listSignalTexts>): Promise<Signal[]> {
  return separate(await listSignalTexts(...list)).map(readSignal);
}

export function readSignal(text: string): Signal {
  const signal = JSON.parse(text);
  signal.fired_at = new Date(signal.fired_at);
  return signal;
}

/** Where a signal stands in the list that these filters ask for. */
export function signalPosition({ priority, fired_at, id }: Signal, { sort }: { sort?: string }): Position {
  return [...(sort === 'priority' ? [String(priority)] : []), fired_at.toISOString(), id];
}

export async function findSignalItems(db: Reader, orgId: OrganizationId, ids: SignalId[]): Promise<Signal[]> {
  const rows = await all<{ text: string }>(db, {
    name: 'find_signal_items',
    text: `
      select ${signalText} as text from unnest($2::text[]) as g (id)
      cross join lateral (select * from signals where org_id = $1 and id = g.id ${fence}) s ${joinPartnerText}`,
    values: [orgId, ids],
  });
  return rows.map(({ text }) => readSignal(text));
}

/** A signal without its log, for which a version stands. */
export type SignalHead = Omit<SignalDetail, 'activity_log' | 'history'> & {
  log_version: string | null;
  history: HistoryEntry[];
};
/** The log is the first page of it, and most often all. */
export type SignalInFull = { head: SignalHead; log: Activity[] };

/** What the detail has beside the list item, the log and the history. */
const detail = itemColumns(
  Type.Omit(SignalDetailSchema, [
    ...(Object.keys(SignalSchema.properties) as (keyof Signal)[]),
    'activity_log',
    'history',
  ]),
  's',
  { priority_parts: `case when s.${active} then s.priority_parts end` },
);

/** In one statement, so that all of it is of one moment. */
export async function findSignal(
  db: Reader,
  orgId: OrganizationId,
  id: SignalId,
): Promise<SignalInFull | undefined> {
  type Read = Omit<SignalHead, keyof Signal | 'history'> & {
    text: string;
    history: ChangeInJson[] | null;
    log: ActivityInJson[] | null;
  };
  const row = await first<Read>(db, {
    name: 'find_signal',
    text: `
      select ${signalText} as text, ${detail}, ${logVersion}, ${history}, ${firstLogPage}
      from signals s ${joinPartnerText} where s.org_id = $1 and s.id = $2`,
    values: [orgId, id],
  });
  if (!row) return undefined;
  const { text, history: changes, log, ...rest } = row;
  return {
    head: { ...readSignal(text), ...rest, history: (changes ?? []).map(toHistoryEntry) },
    log: (log ?? []).map(fromJson),
  };
}
