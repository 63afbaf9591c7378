import { Type } from 'typebox';
import type { OrganizationId, SignalId } from '../../contract/ids.ts';
import {
  type Activity,
  type Signal,
  type SignalDetail,
  SignalDetailSchema,
  SignalSchema,
} from '../../contract/signal.ts';
import type { Position } from '../db/cursor.ts';
import { itemColumns } from '../db/item-columns.ts';
import { type JsonPage, jsonSeparatorSql, splitJsonPage } from '../db/json-page.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { variant } from '../db/statement.ts';
import { all, first, type Reader } from '../db/tx.ts';
import { type ActivityInJson, firstLogPage, fromJson, logVersion } from '../facts/activities.ts';
import { type ChangeInJson, type HistoryEntry, historyColumn, toHistoryEntry } from './signal-changes.ts';
import { pageOrder, type SignalFilters, selectPage } from './signal-page.ts';
import { active, joinPartnerText, signalText } from './signal-text.ts';

/** Newest first, or highest priority first. Each signal comes as JSON; see `readSignal`. Only the rows of the page are joined. */
export async function listSignalsJson(
  db: Reader,
  orgId: OrganizationId,
  filters: SignalFilters,
  limit: number,
  after: Position | null,
): Promise<JsonPage> {
  const values: unknown[] = [orgId, limit];
  const page = selectPage(filters, after, values);
  const text = `
    select string_agg(${signalText}, ${jsonSeparatorSql} order by ${pageOrder(filters, 's.')}) as json, count(*)
    from (${page}) s ${joinPartnerText}`;
  return (await first<JsonPage>(db, variant('list_signals', text, values))) as JsonPage;
}

export async function listSignals(...list: Parameters<typeof listSignalsJson>): Promise<Signal[]> {
  return splitJsonPage(await listSignalsJson(...list)).map(readSignal);
}

export function readSignal(text: string): Signal {
  const signal = JSON.parse(text);
  signal.fired_at = new Date(signal.fired_at);
  return signal;
}

export async function findSignalItems(db: Reader, orgId: OrganizationId, ids: SignalId[]): Promise<Signal[]> {
  const rows = await all<{ text: string }>(db, {
    name: 'find_signal_items',
    text: `
      select ${signalText} as text from unnest($2::text[]) as g (id)
      cross join lateral (select * from signals where org_id = $1 and id = g.id ${plannerFence}) s ${joinPartnerText}`,
    values: [orgId, ids],
  });
  return rows.map(({ text }) => readSignal(text));
}

/** A signal without its log, but with the version of the log. */
export type SignalHead = Omit<SignalDetail, 'activity_log' | 'history'> & {
  log_version: string | null;
  history: HistoryEntry[];
};
/** `log` is the first page of the log, which is usually all of it. */
export type SignalInFull = { head: SignalHead; log: Activity[] };

/** The fields of the detail in addition to the list item, the log and the history. */
const detail = itemColumns(
  Type.Omit(SignalDetailSchema, [
    ...(Object.keys(SignalSchema.properties) as (keyof Signal)[]),
    'activity_log',
    'history',
  ]),
  's',
  { priority_parts: `case when s.${active} then s.priority_parts end` },
);

/** In one statement, so that everything is from one snapshot. */
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
      select ${signalText} as text, ${detail}, ${logVersion}, ${historyColumn}, ${firstLogPage}
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
