import { maxHolders } from '../../rules/matching/choose-matches.ts';
import { partnerAccountKeys } from '../../rules/matching/matching.ts';
import {
  findPartnerAccountFacts,
  findPartnerFacts,
  type PartnerAccountFact,
  upsertPartnerAccounts,
} from '../../store/facts/partner-facts.ts';
import { findDecidedAccounts } from '../../store/matching/match-decisions.ts';
import { replacePartnerAccountKeys } from '../../store/matching/matches.ts';
import { noChangedRows, type Writer } from './changed-rows.ts';
import { applyVersion, Ledger, type Outcome, unknown, wholeRow } from './ledger.ts';

const keyOf = ({ partner_id, external_id }: { partner_id: string; external_id: string }) =>
  `${partner_id} ${external_id}`;

export const ingestPartnerAccounts: Writer<'partner_accounts'> = async (tx, orgId, rows, now) => {
  const partnerIds = rows.map(({ row }) => row.partner_external_id);
  const found = await findPartnerFacts(tx, orgId, partnerIds);
  const partners = new Ledger(found, (partner) => partner.external_id);
  const keys = rows.flatMap(({ row }) => {
    const partner = partners.alive(row.partner_external_id);
    return partner ? [{ partner_id: partner.id, external_id: row.external_id }] : [];
  });
  const ledger = new Ledger<PartnerAccountFact>(await findPartnerAccountFacts(tx, orgId, keys), keyOf);
  const outcomes = rows.map((entry): Outcome => {
    const partner = partners.alive(entry.row.partner_external_id);
    if (!partner) return unknown('partner_external_id', 'partner');
    const ids = { partner_id: partner.id, external_id: entry.row.external_id };
    if (entry.form === 'withdrawal') return applyVersion(ledger, keyOf(ids), null, entry.row, now);
    const whole = wholeRow('partner_accounts', entry, ledger.get(keyOf(ids)));
    if (!('row' in whole)) return whole;
    const { name, domain, country, registry_number, relationship } = whole.row;
    const fact = {
      ...ids,
      name,
      domain: domain ?? null,
      country: country ?? null,
      registry_number: registry_number ?? null,
      relationship,
    };
    return applyVersion(ledger, keyOf(ids), fact, entry.row, now);
  });

  const changes = ledger.changes();
  const changedRows = noChangedRows();
  if (changes.length > 0) {
    const changed = changes.map(({ after }) => after);
    const known = changed.filter((_, i) => changes[i]?.before);
    changedRows.partnerAccounts = changed;
    // Computes the keys while the database writes the rows.
    const upserted = upsertPartnerAccounts(tx, orgId, changed);
    const matchKeys = changed.flatMap((fact) =>
      fact.deleted_at
        ? []
        : partnerAccountKeys(fact).map(({ key }) => ({
            partner_id: fact.partner_id,
            external_id: fact.external_id,
            key,
          })),
    );
    const [decided] = await Promise.all([findDecidedAccounts(tx, orgId, known, matchKeys), upserted]);
    const reached = await replacePartnerAccountKeys(tx, orgId, known, matchKeys, maxHolders);
    changedRows.rematch = new Set([...decided, ...reached]);
  }
  return { outcomes, changedRows };
};
