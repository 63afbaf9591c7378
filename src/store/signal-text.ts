import { AccountSummary, OpportunitySummary, PartnerSummary } from '../contract/signal.ts';

/*
 * The list item of a signal as JSON text, made by the database. What it shows of its account and of its deal is kept ready
 * beside the signal, in `shown`, and follows them in the transaction that changes them; its partner is put in when it is
 * read, because a partner may have any number of signals.
 */

/** Of an `account` and an `opportunity`: whose the signal is, and what it shows of them. */
export function shownOf(firedAt: string): string {
  return `
    case when opportunity.owner is null then account.owner_key else opportunity.owner_key end as owner_key,
    '"account":' || ${objectText(AccountSummary, 'account')} || ',"opportunity":' || ${objectText(OpportunitySummary, 'opportunity')}
      || ',"owner":' || coalesce(coalesce(opportunity.owner, account.owner)::text, 'null')
      || ',"fired_at":"' || to_char(${firedAt} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"' as shown`;
}

/** Only active signals have a priority. */
export const active = `state in ('new', 'in_progress')`;

/** The whole item, of a signal `s` and its `partner`. */
export const signalText = `
  '{"id":"' || s.id || '","type":"' || s.type || '","state":"' || s.state || '","partner":' || ${objectText(PartnerSummary, 'partner')}
    || ',' || s.shown || ',"assignee":' || coalesce(s.assignee::text, 'null')
    || ',"priority":' || case when s.${active} then s.priority::text else 'null' end
    || ',"recommended_action":' || to_json(s.recommended_action)::text || '}'`;

function objectText({ properties }: { properties: object }, alias: string): string {
  const fields = Object.keys(properties).map(
    (name) => `"${name}":' || coalesce(to_json(${alias}.${name})::text, 'null')`,
  );
  return `'{${fields.join(` || ',`)} || '}'`;
}
