import { AccountSummary, OpportunitySummary, PartnerSummary } from '../contract/signal.ts';
import { fence } from './fence.ts';

/*
 * The list item of a signal as JSON text, made by the database. Most of it is kept ready beside the signal, in `shown`, and
 * follows the account and the deal in the transaction that changes them; the partner is put in when it is read, because a
 * partner may have any number of signals.
 */

/** Of the `account` and the `opportunity` of a signal: whose it is, and what it shows of them. */
export function shownOf({ fired_at = 's.fired_at', action = 's.recommended_action' } = {}): string {
  return `
    case when opportunity.owner is null then account.owner_key else opportunity.owner_key end as owner_key,
    '"account":' || ${objectText(AccountSummary, 'account')} || ',"opportunity":' || ${objectText(OpportunitySummary, 'opportunity')}
      || ',"owner":' || coalesce(coalesce(opportunity.owner, account.owner)::text, 'null')
      || ',"fired_at":"' || to_char(${fired_at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      || '","recommended_action":' || to_json(${action})::text as shown`;
}

/** Only active signals have a priority. */
export const active = `state in ('new', 'in_progress')`;

/** The whole item, of a signal `s`, with `joinPartnerText`. */
export const signalText = `
  '{"id":"' || s.id || '","type":"' || s.type || '","state":"' || s.state || '","partner":' || partner.text || ',' || s.shown
    || ',"assignee":' || coalesce(s.assignee::text, 'null')
    || ',"priority":' || case when s.${active} then s.priority::text else 'null' end || '}'`;

/** Inside, so that it is made once for each partner of a page. */
export const joinPartnerText = `cross join lateral (
  select ${objectText(PartnerSummary, 'p')} as text from partners p where p.org_id = $1 and p.id = s.partner_id ${fence}) partner`;

function objectText({ properties }: { properties: object }, alias: string): string {
  const fields = Object.keys(properties).map((name) => {
    const column = `${alias}.${name}`;
    // An identifier needs no escaping, which takes most of the time.
    return name === 'id'
      ? `"id":"' || ${column} || '"'`
      : `"${name}":' || coalesce(to_json(${column})::text, 'null')`;
  });
  return `'{${fields.join(` || ',`)} || '}'`;
}
