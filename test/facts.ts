import { randomUUID } from 'node:crypto';
import type { FactRow } from '../src/contract/ingest.ts';
import { type FactKind, factKinds } from '../src/vocabulary.ts';
import type { TestOrganization, TestService } from './harness.ts';

type Row<K extends FactKind> = Partial<Omit<FactRow<K>, 'deleted'>> & { deleted?: boolean };
export type Facts = { [K in FactKind]?: Row<K>[] };

/**
 * Loads facts through ingest, in the order of their references, and fails if a row is refused. Every field has a default:
 * partners are p1, p2, …, accounts a1, a2, … and opportunities o1, o2, … by their position in the call, and references point
 * to the first. Activities and partner accounts get a new key.
 */
export async function loadFacts(
  org: Pick<TestOrganization, 'call'>,
  facts: Facts,
  { backfill = false } = {},
): Promise<void> {
  for (const kind of factKinds) {
    const rows = (facts[kind] ?? []) as Record<string, unknown>[];
    if (rows.length === 0) continue;
    const body = rows.map((row, index) => ({ ...defaults[kind](index + 1, row), ...row }));
    const answer = await org.call('POST', `/ingest/v1/${kind}${backfill ? '?backfill=true' : ''}`, { body });
    if (answer.status !== 200 || answer.body.data.rejected > 0) {
      throw new Error(`ingest of ${kind} answered ${answer.status}: ${answer.text}`);
    }
  }
}

/** An organization with one partner and `count` accounts, each with a `new` overlap signal. */
export async function organizationWithOverlaps(
  service: TestService,
  count: number,
): Promise<{ org: TestOrganization; signals: ListedSignal[] }> {
  const org = await service.organization();
  const places = Array.from({ length: count }, (_, index) => index + 1);
  await loadFacts(org, {
    partners: [{}],
    accounts: places.map(() => ({})),
    partner_accounts: places.map((place) => ({ domain: `a${place}.example` })),
  });
  return { org, signals: await readAll(org, '/v1/signals') };
}

/** The same time of day, this many UTC days ago. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

const defaults: { [K in FactKind]: (place: number, row: Record<string, unknown>) => Row<K> } = {
  partners: (place, { external_id = `p${place}` }) => ({
    external_id: String(external_id),
    name: `Partner ${external_id}`,
    type: 'gsi',
    tier: 2,
  }),
  accounts: (place, { crm_id = `a${place}` }) => ({
    crm_id: String(crm_id),
    name: `Account ${crm_id}`,
    domain: `${crm_id}.example`,
  }),
  opportunities: (place, { crm_id = `o${place}`, status = 'open' }) => ({
    crm_id: String(crm_id),
    account_crm_id: 'a1',
    name: `Opportunity ${crm_id}`,
    value: 1_000,
    stage: 'proposal',
    status: 'open',
    opened_at: daysAgo(10),
    ...(status === 'won' ? { closed_date: daysAgo(0).slice(0, 10) } : {}),
  }),
  // The same domain as the default account a1, so that the two match.
  partner_accounts: () => ({
    partner_external_id: 'p1',
    external_id: randomUUID(),
    name: 'Account of a partner',
    domain: 'a1.example',
    relationship: 'customer',
  }),
  activities: () => ({
    external_id: randomUUID(),
    partner_external_id: 'p1',
    account_crm_id: 'a1',
    kind: 'joint_meeting',
    occurred_at: daysAgo(0),
    summary: 'Met the buyer together',
  }),
  exchange_rates: () => ({ date: daysAgo(0).slice(0, 10), base: 'EUR', quote: 'USD', rate: 1.25 }),
};

/** For tests that count UTC days: waits if the day is about to end. */
export const awayFromMidnight = () => awayFromEndOf(86_400_000);

/** For tests that count requests: waits if the window of the limit is about to end. */
export const awayFromMinuteEnd = () => awayFromEndOf(60_000);

/** Waits at most ten seconds. */
async function awayFromEndOf(windowMs: number): Promise<void> {
  const leftMs = windowMs - (Date.now() % windowMs);
  if (leftMs < 10_000) await new Promise((resolve) => setTimeout(resolve, leftMs + 50));
}

export type ListedSignal = {
  id: string;
  type: 'co_sell' | 'overlap' | 'pre_intent';
  state: 'new' | 'in_progress' | 'handled' | 'expired';
  partner: { id: string; name: string; type: string };
  account: { id: string; name: string; crm_id: string };
  opportunity: { id: string; name: string; value: number; stage: string };
  fired_at: string;
  priority: number | null;
  recommended_action: string;
};

/** Every item of a list, page by page. */
export async function readAll<T>(
  org: Pick<TestOrganization, 'get'>,
  path: string,
  limit = 100,
): Promise<T[]> {
  const all: T[] = [];
  for (let cursor = ''; ; ) {
    const answer = await org.get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    all.push(...(answer.body.data as T[]));
    if (!answer.body.has_more) return all;
    cursor = `&cursor=${answer.body.next_cursor}`;
  }
}
