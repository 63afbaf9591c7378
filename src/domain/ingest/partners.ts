import { newId } from '../../contract/ids.ts';
import { sortKey } from '../../contract/values/sort-key.ts';
import { findOpportunitiesOfPartners } from '../../store/credit/opportunities.ts';
import { findPartnerFacts, type PartnerFact, upsertPartners } from '../../store/facts/partner-facts.ts';
import { findMatchedAccounts } from '../../store/matching/matches.ts';
import { recheckPartners, recheckReturnedPartners } from '../../store/signals/pairs.ts';
import { noChangedRows, type Writer } from './changed-rows.ts';
import { applyVersion, Ledger, type Outcome, wholeRow } from './ledger.ts';

export const ingestPartners: Writer<'partners'> = async (tx, orgId, rows, now) => {
  const externalIds = rows.map(({ row }) => row.external_id);
  const held = await findPartnerFacts(tx, orgId, externalIds);
  const ledger = new Ledger<PartnerFact>(held, (fact) => fact.external_id);
  const outcomes = rows.map((entry): Outcome => {
    const key = entry.row.external_id;
    if (entry.form === 'withdrawal') return applyVersion(ledger, key, null, entry.row, now);
    const held = ledger.get(key);
    const whole = wholeRow('partners', entry, held);
    if (!('row' in whole)) return whole;
    const { name, type, tier, domain } = whole.row;
    const id = held?.id ?? newId('prt');
    const fact = {
      id,
      external_id: key,
      name,
      name_key: sortKey(name),
      type,
      tier,
      domain: domain ?? null,
    };
    return applyVersion(ledger, key, fact, entry.row, now);
  });

  const changes = ledger.changes();
  const changedRows = noChangedRows();
  if (changes.length > 0) {
    const written = changes.map(({ after }) => after);
    await upsertPartners(tx, orgId, written, now);
    const known = changes.flatMap(({ before, after }) => (before ? [{ before, after }] : []));
    const cameOrWent = known.filter(
      ({ before, after }) => (before.deleted_at === null) !== (after.deleted_at === null),
    );
    if (cameOrWent.length > 0) {
      const ids = cameOrWent.map(({ after }) => after.id);
      for (const id of await findMatchedAccounts(tx, orgId, ids)) changedRows.rematch.add(id);
      for (const id of await findOpportunitiesOfPartners(tx, orgId, ids)) changedRows.opportunities.add(id);
    }
    // A partner may have any number of signals, so their recommended actions are rewritten in the background.
    const reworded = known.filter(
      ({ before, after }) =>
        before.name !== after.name || before.tier !== after.tier || before.type !== after.type,
    );
    const recheck = [...reworded, ...cameOrWent].map(({ after }) => after.id);
    if (recheck.length > 0) await recheckPartners(tx, orgId, recheck, now);
    const returned = cameOrWent.filter(({ after }) => !after.deleted_at).map(({ after }) => after.id);
    if (returned.length > 0) await recheckReturnedPartners(tx, orgId, returned, now);
  }
  return { outcomes, changedRows };
};
