import { expect } from 'vitest';
import type { Signal, SignalDetail } from '../../src/contract/signal.ts';
import type { Pool } from '../../src/store/db/connection.ts';
import type { FactKind } from '../../src/vocabulary.ts';
import { readAll } from '../facts.ts';
import type { Answer, TestOrganization } from '../harness.ts';

export type Result = {
  received: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  errors: { index: number; field: string; code: string; message: string }[];
};

export function post(
  org: TestOrganization,
  kind: FactKind,
  rows: unknown,
  options: { query?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { query = '', headers = {} } = options;
  return org.call('POST', `/ingest/v1/${kind}${query}`, { body: rows, headers });
}

export async function send(org: TestOrganization, kind: FactKind, rows: unknown[]): Promise<Result> {
  const answer = await post(org, kind, rows);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data as Result;
}

/** The counts of a result, the zeros left out. */
export function counts({ errors: _, ...numbers }: Result): Partial<Result> {
  return Object.fromEntries(Object.entries(numbers).filter(([, count]) => count !== 0));
}

export const signalsOf = (org: TestOrganization, query = ''): Promise<Signal[]> =>
  readAll(org, `/v1/signals${query}`);

/** What is in the feed, in words that hold no identifier of ours. */
export async function feed(org: TestOrganization, query = ''): Promise<string[]> {
  const signals = await signalsOf(org, query);
  return signals
    .map(
      ({ type, state, partner, account, opportunity }) =>
        `${type} ${state}: ${partner.name} at ${account.crm_id} on ${opportunity.name}`,
    )
    .sort();
}

/** Every row that the database holds for an organization, so that a test can say: nothing has changed. */
export async function everythingOf(pool: Pool, orgId: string): Promise<Record<string, string[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'org_id' and table_name not in (
       'api_keys', 'idempotency_keys', 'priority_scales', 'due_organizations', 'due_webhooks',
       'suggestion_queue', 'account_blocks', 'partner_account_blocks', 'match_suggestions')`,
  );
  const entries = tables.map(async ({ name }) => {
    // The version may change for what is left out above.
    const row = name === 'event_counters' ? `to_jsonb(t) - 'version'` : 'to_jsonb(t)';
    const { rows } = await pool.query(`select (${row})::text as row from ${name} t where org_id = $1`, [
      orgId,
    ]);
    return [name, rows.map(({ row }) => row as string).sort()];
  });
  return Object.fromEntries(await Promise.all(entries));
}

export async function changeState(org: TestOrganization, id: string, state: string): Promise<void> {
  const answer = await org.call('PATCH', `/v1/signals/${id}`, { body: { state } });
  expect(answer.status, answer.text).toBe(200);
}

export async function detailOf(org: TestOrganization, id: string): Promise<SignalDetail> {
  const answer = await org.get(`/v1/signals/${id}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data as SignalDetail;
}

/** The events of an organization, oldest first. */
export async function eventsOf(pool: Pool, orgId: string): Promise<{ kind: string; data: Signal }[]> {
  const { rows } = await pool.query(`select kind, data from events where org_id = $1 order by id`, [orgId]);
  return rows;
}

/** The first moment of the UTC day that comes so many days after the day of `time`. */
export function dayAfter(time: string, days: number): string {
  const day = new Date(`${time.slice(0, 10)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString();
}
