import { newId, type OpportunityId, type OrganizationId } from '../../contract/ids.ts';
import { OpportunitySummary } from '../../contract/signal.ts';
import { isoDay } from '../../rules/day.ts';
import type { Tx } from '../../store/db/tx.ts';
import {
  findOpportunityFacts,
  findProspective,
  type OpportunityFact,
  upsertOpportunities,
} from '../../store/facts/crm-facts.ts';
import { noteChangedOpportunities } from '../priority.ts';
import { resolveAccounts } from './accounts.ts';
import { noChangedRows, showsOtherwise, type Writer } from './changed-rows.ts';
import { applyVersion, Ledger, type Outcome, toOwner, unknown, wholeRow } from './ledger.ts';

export const ingestOpportunities: Writer<'opportunities'> = async (tx, orgId, rows, now) => {
  const accountCrmIds = rows.flatMap((entry) =>
    entry.form === 'withdrawal' ? [] : (entry.row.account_crm_id ?? []),
  );
  const accountOf = await resolveAccounts(tx, orgId, accountCrmIds);
  const crmIds = rows.map(({ row }) => row.crm_id);
  const held = await findOpportunityFacts(tx, orgId, crmIds);
  const ledger = new Ledger<OpportunityFact>(held, (fact) => fact.crm_id);
  const outcomes = rows.map((entry): Outcome => {
    const key = entry.row.crm_id;
    if (entry.form === 'withdrawal') return applyVersion(ledger, key, null, entry.row, now);
    const held = ledger.get(key);
    const namesAccount = entry.row.account_crm_id !== undefined;
    const whole = wholeRow(
      'opportunities',
      entry,
      held && { ...held, account_id: namesAccount ? undefined : held.account_id },
    );
    if (!('row' in whole)) return whole;
    const { row } = whole;
    const account = row.account_id ?? accountOf(row.account_crm_id);
    if (!account) return unknown('account_crm_id', 'account');
    const fact = {
      id: held?.id ?? newId('opp'),
      account_id: account,
      crm_id: key,
      name: row.name,
      value: row.value,
      currency: row.currency ?? null,
      stage: row.stage,
      status: row.status,
      opened_at: new Date(row.opened_at),
      closed_date: row.closed_date ?? null,
      ...toOwner(row.owner),
    };
    return applyVersion(ledger, key, fact, entry.row, now);
  });

  const changes = ledger.changes();
  const changedRows = noChangedRows();
  if (changes.length > 0) {
    const first = changes.flatMap(({ before, after }) => (before ? [] : [after]));
    const takenOver = await takeOverProspective(tx, orgId, first);
    const facts = changes.map(({ after }) => ({ ...after, id: takenOver.get(after) ?? after.id }));
    await upsertOpportunities(tx, orgId, facts, now);
    await noteChangedOpportunities(tx, orgId, facts.length, now);
    for (const { before, after } of changes) {
      const id = takenOver.get(after) ?? after.id;
      if (before) changedRows.accounts.add(before.account_id);
      changedRows.accounts.add(after.account_id);
      if (before ? showsOtherwise(OpportunitySummary, before, after) : takenOver.has(after))
        changedRows.shown.opportunities.add(id);
      if (before?.status === 'won' || after.status === 'won') changedRows.opportunities.add(id);
    }
  }
  return { outcomes, changedRows };
};

/**
 * The prospective opportunity of an account becomes the first deal opened on or after the day of its first evidence. That
 * deal keeps its ID and takes over the signals.
 */
async function takeOverProspective(
  tx: Tx,
  orgId: OrganizationId,
  fresh: OpportunityFact[],
): Promise<Map<OpportunityFact, OpportunityId>> {
  const heirs = new Map<OpportunityFact, OpportunityId>();
  const accountIds = [...new Set(fresh.map((fact) => fact.account_id))];
  if (accountIds.length === 0) return heirs;
  for (const prospective of await findProspective(tx, orgId, accountIds)) {
    const [heir] = fresh
      .filter((fact) => fact.account_id === prospective.account_id && !fact.deleted_at)
      .filter((fact) => isoDay(fact.opened_at) >= prospective.first_evidence_on)
      .sort((a, b) => a.opened_at.getTime() - b.opened_at.getTime() || (a.crm_id < b.crm_id ? -1 : 1));
    if (heir) heirs.set(heir, prospective.id);
  }
  return heirs;
}
