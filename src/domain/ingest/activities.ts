import type { ErrorDetail } from '../../contract/error.ts';
import { type AccountId, newId, type OrganizationId } from '../../contract/ids.ts';
import type { FactMerge, FactRow } from '../../contract/ingest.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { isoDay } from '../../rules/day.ts';
import { partnerAccountKeys } from '../../rules/matching/matching.ts';
import type { Tx } from '../../store/db/tx.ts';
import { findAccountsByKey, findOpportunityFacts } from '../../store/facts/crm-facts.ts';
import {
  type ActivityFact,
  findActivityFacts,
  findPartnerFacts,
  upsertActivities,
} from '../../store/facts/partner-facts.ts';
import { resolveAccounts } from './accounts.ts';
import { noChangedRows, noteOpportunitiesSince, type Writer } from './changed-rows.ts';
import {
  applyVersion,
  Ledger,
  type Outcome,
  type Said,
  sameContent,
  toDate,
  unknown,
  wholeRow,
} from './ledger.ts';

/** Clocks differ a little; a time further in the future is a mistake. */
const aheadMs = 5 * 60_000;

type Named = Pick<FactRow<'activities'>, 'account_crm_id' | 'domain'>;

export const ingestActivities: Writer<'activities'> = async (tx, orgId, rows, now) => {
  const externalIds = rows.map(({ row }) => row.external_id);
  const full = rows.flatMap((entry) => (entry.form === 'withdrawal' ? [] : [entry.row]));
  const [partnerFacts, accountOf, opportunityFacts, held] = await Promise.all([
    findPartnerFacts(tx, orgId, distinct(full, 'partner_external_id')),
    accountFinder(tx, orgId, full),
    findOpportunityFacts(tx, orgId, distinct(full, 'opportunity_crm_id')),
    findActivityFacts(tx, orgId, externalIds),
  ]);
  const partners = new Ledger(partnerFacts, (partner) => partner.external_id);
  const opportunities = new Ledger(opportunityFacts, (opportunity) => opportunity.crm_id);
  const ledger = new Ledger<ActivityFact>(held, (fact) => fact.external_id);

  const outcomes = rows.map((entry): Outcome => {
    const key = entry.row.external_id;
    if (entry.form === 'withdrawal') return applyVersion(ledger, key, null, entry.row, now);
    const held = ledger.get(key);
    const whole = wholeRow('activities', entry, held && asRow(held, entry.row));
    if (!('row' in whole)) return whole;
    const { row } = whole;
    const occurred_at = new Date(row.occurred_at);
    if (occurred_at.getTime() > now.getTime() + aheadMs) {
      return {
        field: 'occurred_at',
        code: 'out_of_range',
        message: 'must be at most 5 minutes in the future',
      };
    }
    const partner = row.partner_id ?? partners.alive(row.partner_external_id)?.id;
    if (!partner) return unknown('partner_external_id', 'partner');
    const account = row.account_id ?? accountOf(row);
    if (typeof account !== 'string') return account;
    const opportunity =
      held && row.opportunity_id
        ? { id: row.opportunity_id, account_id: held.account_id }
        : opportunities.alive(row.opportunity_crm_id);
    if (row.opportunity_crm_id && !opportunity) return unknown('opportunity_crm_id', 'opportunity');
    if (opportunity && opportunity.account_id !== account) {
      return {
        field: 'opportunity_crm_id',
        code: 'mismatch',
        message: 'belongs to another account',
      };
    }
    const fact: Said<ActivityFact> = {
      id: held?.id ?? newId('act'),
      external_id: key,
      partner_id: partner,
      account_id: account,
      opportunity_id: opportunity?.id ?? null,
      kind: row.kind,
      occurred_at,
      recorded_at: held?.recorded_at ?? now,
      source_recorded_at: toDate(row.recorded_at),
      summary: row.summary,
      actor: row.actor ?? null,
      source: row.source ?? null,
      version: held?.version ?? 0,
    };
    if (held && !sameClaim(held, fact)) fact.recorded_at = now;
    return applyVersion(ledger, key, fact, entry.row, now);
  });

  const written: ActivityFact[] = [];
  const changedRows = noChangedRows();
  for (const { before, after } of ledger.changes()) {
    if (before && sameContent(before, after)) {
      written.push(after);
      continue;
    }
    written.push({ ...after, version: after.version + 1 });
    for (const version of before ? [before, after] : [after]) {
      changedRows.pairs.push(version);
      noteOpportunitiesSince(changedRows, version.account_id, isoDay(version.occurred_at));
    }
  }
  if (written.length > 0) await upsertActivities(tx, orgId, written);
  return { outcomes, changedRows };
};

/** The distinct values of this field. */
function distinct<K extends string>(rows: { [N in K]?: string | null | undefined }[], field: K): string[] {
  return [...new Set(rows.flatMap((row) => row[field] ?? []))];
}

/** The fields that a merged row takes over. What the row names itself, it does not take over. */
function asRow(held: ActivityFact, row: FactMerge<'activities'>) {
  const namesAccount = row.account_crm_id !== undefined || row.domain;
  return {
    ...held,
    partner_id: row.partner_external_id === undefined ? held.partner_id : undefined,
    account_id: namesAccount ? undefined : held.account_id,
    opportunity_id: row.opportunity_crm_id === undefined ? held.opportunity_id : undefined,
    recorded_at: held.source_recorded_at,
  };
}

/** Whether both versions claim the same; a different claim counts as recorded now. */
function sameClaim(a: ActivityFact, b: Said<ActivityFact>): boolean {
  return (
    a.deleted_at === null &&
    a.kind === b.kind &&
    a.partner_id === b.partner_id &&
    a.account_id === b.account_id &&
    a.occurred_at.getTime() === b.occurred_at.getTime()
  );
}

/** By crm_id if there is one, or else by a domain that only one account has. */
async function accountFinder(
  tx: Tx,
  orgId: OrganizationId,
  rows: Named[],
): Promise<(row: Named) => AccountId | ErrorDetail> {
  const domains = new Map<string, string | undefined>();
  for (const { account_crm_id, domain } of rows) {
    if (account_crm_id || !domain) continue;
    domains.set(
      domain,
      partnerAccountKeys({ name: '', domain, country: null, registry_number: null })[0]?.key,
    );
  }
  const keys = [...domains.values()].filter((key) => key !== undefined);
  const [byCrmId, found] = await Promise.all([
    resolveAccounts(tx, orgId, distinct(rows, 'account_crm_id')),
    keys.length > 0 ? findAccountsByKey(tx, orgId, keys) : [],
  ]);
  const byKey = groupBy(found, ({ key }) => key);
  return (row) => {
    if (row.account_crm_id) return byCrmId(row.account_crm_id) ?? unknown('account_crm_id', 'account');
    const accounts = byKey.get(domains.get(row.domain ?? '') ?? '') ?? [];
    const [only, another] = accounts;
    if (!only) return unknown('domain', 'account');
    if (another) {
      return {
        field: 'domain',
        code: 'ambiguous',
        message: `matches ${accounts.length} accounts; set account_crm_id`,
      };
    }
    return only.account_id;
  };
}
