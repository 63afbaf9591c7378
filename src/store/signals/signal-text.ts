import type { Static, TObject } from 'typebox';
import { PartnerSummary } from '../../contract/partner.ts';
import { AccountSummary, OpportunitySummary, type Signal } from '../../contract/signal.ts';
import { plannerFence } from '../db/planner-fence.ts';

/*
 * The list item of a signal as JSON text, assembled by the database. Most of it is stored with the signal in `shown`, and
 * changes in the same transaction as its account and deal. The partner is added when it is read, because a partner may have
 * any number of signals.
 *
 * A change of this format needs a migration that rewrites the stored text of existing signals.
 */

/** Only active signals have a priority. */
export const active = `state in ('new', 'in_progress')`;

/** The fields around the stored text, for a signal `s` with `joinPartnerText`. */
const before = {
  id: quoted('s.id'),
  type: quoted('s.type'),
  state: quoted('s.state'),
  partner: 'partner.text',
};
const after = {
  assignee: `coalesce(s.assignee::text, 'null')`,
  priority: `case when s.${active} then s.priority::text else 'null' end`,
  end_reason: `coalesce(${quoted('s.end_reason')}, 'null')`,
};
type StoredField = Exclude<keyof Signal, keyof typeof before | keyof typeof after>;

/** What of the row the item needs, and the order of a list. */
export const columnsOfItem = 'id, type, state, fired_at, priority, assignee, end_reason, partner_id, shown';

/** The whole item. */
export const signalText = text(`'{'`, members(before), `','`, 's.shown', `','`, members(after), `'}'`);

/** The columns of a signal that come from its `account` and `opportunity`: the owner and the stored text. */
export function shownOf(signal = 's', firedAt = `${signal}.fired_at`): string {
  const action = `${signal}.recommended_action || coalesce(', ' || ${signal}.urgency, '') || '.'`;
  const kept: Record<StoredField, string> = {
    account: objectText(AccountSummary, 'account'),
    opportunity: objectText(OpportunitySummary, 'opportunity'),
    owner: `coalesce(coalesce(opportunity.owner, account.owner)::text, 'null')`,
    fired_at: quoted(`to_char(${firedAt} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`),
    recommended_action: `to_json(${action})::text`,
  };
  return `
    case when opportunity.owner is null then account.owner_key else opportunity.owner_key end as owner_key,
    ${members(kept)} as shown`;
}

/** Lateral, so that it is built once for each partner of a page. */
export const joinPartnerText = `cross join lateral (
  select ${objectText(PartnerSummary, 'p')} as text from partners p where p.org_id = $1 and p.id = s.partner_id ${plannerFence}) partner`;

/** No Date: its format would differ from the rest of the API. */
type Plain = Record<string, string | number | boolean | null>;

function objectText<S extends TObject>(schema: Static<S> extends Plain ? S : never, alias: string): string {
  const fields = Object.keys(schema.properties).map((name) => {
    const column = `${alias}.${name}`;
    // An identifier needs no escaping, which takes most of the time.
    return [name, name === 'id' ? quoted(column) : `coalesce(to_json(${column})::text, 'null')`];
  });
  return text(`'{'`, members(Object.fromEntries(fields)), `'}'`);
}

function quoted(value: string): string {
  return text(`'"'`, value, `'"'`);
}

/** `"name":` and the value of each field. */
function members(fields: Record<string, string>): string {
  return text(
    ...Object.entries(fields).flatMap(([name, value], index) => [
      `'${index > 0 ? ',' : ''}"${name}":'`,
      value,
    ]),
  );
}

/** Joins adjacent constants, because every `||` takes time for every row. */
function text(...parts: string[]): string {
  return parts.join(' || ').replaceAll(`' || '`, '');
}
