import type { AccountId, OrganizationId, PartnerId, SignalId } from '../contract/ids.ts';
import { personKey } from '../contract/person.ts';
import type { Activity, Signal, SignalDetail } from '../contract/signal.ts';
import {
  type SignalState,
  type SignalType,
  type signalSorts,
  signalStates,
  signalTypes,
} from '../vocabulary.ts';
import { type ActivityInJson, firstLogPage, fromJson, logVersion } from './activities.ts';
import { accountsFound, type Search } from './begins-with.ts';
import type { Position } from './cursor.ts';
import { fence } from './fence.ts';
import { firstRows } from './first-rows.ts';
import { type ChangeInJson, type HistoryEntry, history, toHistoryEntry } from './signal-changes.ts';
import { active, joinPartnerText, signalText } from './signal-text.ts';
import { variant } from './statement.ts';
import { separate, separatorText, type Texts } from './texts.ts';
import { all, first, type Reader } from './tx.ts';

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

/**
 * Newest first, or highest priority first. A page is found in an index and only its rows are joined. Where type or state
 * is filtered, a partner or a person, each combination of the two is read in its own order and the few are merged: at most twelve
 * times the page is read, however rare the combination that is asked for. Only active signals have a priority. Those of at
 * least some priority, newest first, are merged from those of each: at most a hundred times the page. A search reads a page
 * of each of the few accounts that it finds.
 * Each signal comes as JSON; see `readSignal`.
 */
export async function listSignalTexts(
  db: Reader,
  orgId: OrganizationId,
  filters: SignalFilters,
  limit: number,
  after: Position | null,
): Promise<Texts> {
  const values: unknown[] = [orgId, limit];
  const where = ['org_id = $1'];
  const { partner_id, account_id, owner, assignee, type, state, sort, min_priority, search } = filters;
  const byPriority = sort === 'priority';
  if (account_id) where.push(`account_id = $${values.push(account_id)}`);
  if (partner_id) where.push(`partner_id = $${values.push(partner_id)}`);
  for (const [person, email] of Object.entries({ owner, assignee })) {
    if (email === undefined) continue;
    where.push(`${person}_key = $${values.push(personKey({ email }))}`);
  }
  const key = byPriority ? ['priority', 'fired_at', 'id'] : ['fired_at', 'id'];
  if (after) where.push(`(${key.join(', ')}) < (${after.map((part) => `$${values.push(part)}`).join(', ')})`);
  const typed = type && `$${values.push(type)}`;
  const stated = state && `$${values.push(state)}`;
  const least = min_priority !== undefined && `$${values.push(min_priority)}::int`;
  // For the indexes that hold no others.
  if (byPriority || least) where.push(active);
  const columns = 'id, type, state, fired_at, priority, assignee, partner_id, shown';
  const order = key.map((column) => `${column} desc`).join(', ');
  const firstOf = (select: string) => firstRows(select, order, '$2');
  const select = `select ${columns} from signals where ${where.join(' and ')}`;
  let page: string;
  // An account has few signals, and its index tells the others apart.
  const ofAccount = `${select} ${typed ? `and type = ${typed}` : ''} ${stated ? `and state = ${stated}` : ''} ${least ? `and priority >= ${least}` : ''}`;
  if (search) {
    page = firstOf(`
      select b.* from (${accountsFound(search, values)}) a
      cross join lateral (${firstOf(`${ofAccount} and account_id = a.id`)}) b`);
  } else if (account_id) {
    page = firstOf(ofAccount);
  } else if (partner_id || owner || assignee || type || state || (least && !byPriority)) {
    const states = byPriority || least ? activeStates : signalStates;
    const [priorities, ofPriority] = !least
      ? ['', '']
      : byPriority
        ? ['', `and priority >= ${least}`]
        : [`cross join generate_series(${least}, 100) as v (priority)`, 'and priority = v.priority'];
    page = firstOf(`
      select b.* from (values ${typed ? `(${typed})` : listed(signalTypes)}) as t (type)
      cross join (values ${stated ? `(${stated})` : listed(states)}) as u (state) ${priorities}
      cross join lateral (${firstOf(`${select} and type = t.type and state = u.state ${ofPriority}`)}) b`);
  } else {
    page = firstOf(`${select} ${least ? `and priority >= ${least}` : ''}`);
  }
  const text = `
    select string_agg(${signalText}, ${separatorText} order by ${key.map((column) => `s.${column} desc`).join(', ')}) as texts, count(*)
    from (${page}) s ${joinPartnerText}`;
  return (await first<Texts>(db, variant('list_signals', text, values))) as Texts;
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

function listed(values: readonly string[]): string {
  return values.map((value) => `('${value}')`).join(', ');
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
      select ${signalText} as text, case when s.${active} then s.priority_parts end as priority_parts, s.dismiss_reason, s.expires_at, s.updated_at, s.reasons,
        ${logVersion}, ${history}, ${firstLogPage}
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
