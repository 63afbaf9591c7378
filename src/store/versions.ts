import type { OrganizationId } from '../contract/ids.ts';
import { cellOf } from './statement.ts';
import { lastWritesOf, type Tx } from './tx.ts';

/**
 * What an organization is shown has a version: another one with every commit that changes any of it, and never one that
 * was there before, so that not even a restored backup lets two states pass for one.
 */
export const findVersion = cellOf<string | null | undefined>({
  name: 'find_version',
  text: `select version from event_counters where org_id = $1`,
});

/** What is written there is shown in no answer that is kept. A table that is not named here counts. */
const unshown = [
  ...['api_keys', 'operator_audit', 'idempotency_keys', 'exports', 'schema_migrations'],
  ...['webhooks', 'webhook_previous_secrets', 'deliveries', 'redeliveries'],
  ...['events', 'event_counters', 'event_numbers', 'turns', 'rechecks'],
  ...['priority_scales', 'suggestion_queue', 'account_blocks', 'partner_account_blocks'],
];
const written = /\b(?:insert into|(?<!\b(?:for|key|do) )update|delete from)\s+(\w+)/g;

export function isShownChange(text: string): boolean {
  return [...text.matchAll(written)].some(([, table = '']) => !unshown.includes(table));
}

/** By the name of the statement. */
const known = new Map<string, boolean>();

/**
 * Whatever changes what is shown is noticed here, by its text: nothing that writes has to remember it. A statement that is
 * a mere text is one of a migration, or steers the transaction.
 */
export function noteChange(tx: Tx, statement: unknown): void {
  if (typeof statement !== 'object' || statement === null) return;
  const { name, text, values } = statement as { name?: string; text: string; values?: unknown[] };
  let isChange = name === undefined ? undefined : known.get(name);
  if (isChange === undefined) {
    isChange = isShownChange(text);
    if (name !== undefined) known.set(name, isChange);
  }
  if (isChange) lastWritesOf(tx, values?.[0] as OrganizationId).isChange = true;
}
