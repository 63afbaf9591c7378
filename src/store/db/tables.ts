/**
 * Every table of the schema, and whether a cached response shows data from it. A write to such a table changes the
 * organization's version, which invalidates its cached responses.
 */
const shown = {
  organizations: true,
  organization_settings: true,
  partners: true,
  accounts: true,
  opportunities: true,
  partner_accounts: true,
  activities: true,
  account_keys: true,
  partner_account_keys: true,
  exchange_rates: true,
  matches: true,
  match_decisions: true,
  match_aliases: true,
  match_suggestions: true,
  /** Responses only show how much is waiting. */
  suggestion_queue: true,
  signals: true,
  signal_changes: true,
  signal_counts: true,
  attribution_records: true,
  attribution_evidence: true,
  disputes: true,

  api_keys: false,
  operator_audit: false,
  idempotency_keys: false,
  exports: false,
  webhooks: false,
  webhook_previous_secrets: false,
  deliveries: false,
  redeliveries: false,
  events: false,
  event_counters: false,
  event_numbers: false,
  due_webhooks: false,
  due_organizations: false,
  rechecks: false,
  priority_scales: false,
  account_blocks: false,
  partner_account_blocks: false,
} as const;

export type Table = keyof typeof shown;
/** Tables that only the service itself reads. */
export type UnshownTable = { [T in Table]: (typeof shown)[T] extends false ? T : never }[Table];

export const tables = Object.keys(shown) as Table[];

export function isShown(table: Table): boolean {
  return shown[table];
}
