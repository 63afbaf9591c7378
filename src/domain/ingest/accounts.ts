import { type AccountId, newId, type OrganizationId } from '../../contract/ids.ts';
import { accountKeys } from '../../rules/matching.ts';
import type { Tx } from '../../store/connection.ts';
import { type AccountFact, findAccountFacts, findMergeHeads, upsertAccounts } from '../../store/facts.ts';
import { replaceAccountKeys } from '../../store/matches.ts';
import { applyVersion, type IngestRow, Ledger, type Outcome, sameContent, toDate, unknown } from './fold.ts';
import { moveFacts } from './merge.ts';
import { nothingTouched, type Touched } from './touched.ts';

export async function ingestAccounts(
  tx: Tx,
  orgId: OrganizationId,
  rows: IngestRow<'accounts'>[],
  now: Date,
): Promise<{ outcomes: Outcome[]; touched: Touched }> {
  const crmIds = rows.flatMap(({ row }) => [row.crm_id, ...(row.merged_into ? [row.merged_into] : [])]);
  const ledger = new Ledger<AccountFact>(await findAccountFacts(tx, orgId, crmIds), (fact) => fact.crm_id);
  const heads = await mergeHeads(tx, orgId, crmIds);
  const merges = new Map<AccountId, AccountId>();

  const outcomes = rows.map((entry): Outcome => {
    const key = entry.row.crm_id;
    const held = ledger.get(key);
    const version = { source_updated_at: toDate(entry.row.source_updated_at), now };
    const target = entry.row.merged_into ? mergeTarget(entry.row.merged_into, held?.id) : null;
    if (target && typeof target !== 'string') return target;
    if (entry.form === 'withdrawal' && !target) return applyVersion(ledger, key, null, version);
    if (entry.form === 'withdrawal' && !held) return 'unchanged';
    const fact =
      entry.form === 'full'
        ? toFact(entry.row, held, target)
        : { ...(held as AccountFact), merged_into: target };
    const outcome = applyVersion(ledger, key, fact, version);
    if (target && outcome !== 'unchanged') merges.set(fact.id, target);
    return outcome;
  });

  /** Where a merge leads in the end: an account may have been merged on, and must not be merged into itself. */
  function mergeTarget(crmId: string, from: AccountId | undefined): AccountId | ReturnType<typeof unknown> {
    const named = ledger.alive(crmId);
    if (!named) return unknown('merged_into', 'account');
    const head = merges.get(named.id) ?? heads.get(named.id) ?? named.id;
    return head === from
      ? { field: 'merged_into', code: 'invalid_value', message: 'leads back to this account' }
      : head;
  }

  const changed = ledger.changes().filter(({ before, after }) => !before || !sameContent(before, after));
  const touched = nothingTouched();
  const written = ledger.changes().map(({ after }) => after);
  if (written.length > 0) await upsertAccounts(tx, orgId, written, now);
  if (changed.length > 0) {
    const ids = changed.map(({ after }) => after.id);
    const keys = changed.flatMap(({ after }) =>
      after.deleted_at || after.merged_into
        ? []
        : accountKeys(after).map((key) => ({ account_id: after.id, ...key })),
    );
    await replaceAccountKeys(tx, orgId, ids, keys);
    for (const id of ids) {
      touched.rematch.add(id);
      touched.accounts.add(id);
    }
  }
  for (const [from, into] of merges) {
    await moveFacts(tx, orgId, from, into, now);
    touched.accounts.add(into);
  }
  return { outcomes, touched };
}

function toFact(
  row: Extract<IngestRow<'accounts'>, { form: 'full' }>['row'],
  held: AccountFact | undefined,
  merged_into: AccountId | null,
): AccountFact {
  return {
    id: held?.id ?? newId('acc'),
    crm_id: row.crm_id,
    name: row.name,
    domain: row.domain ?? null,
    extra_domains: row.extra_domains ?? [],
    country: row.country ?? null,
    registry_number: row.registry_number ?? null,
    merged_into: merged_into ?? held?.merged_into ?? null,
    deleted_at: null,
    source_updated_at: null,
  };
}

/** By crm_id, the account that holds its facts now: the one that it was merged into, if it was. */
export async function resolveAccounts(
  tx: Tx,
  orgId: OrganizationId,
  crmIds: string[],
): Promise<(crmId: string) => AccountId | undefined> {
  const facts = new Map((await findAccountFacts(tx, orgId, crmIds)).map((fact) => [fact.crm_id, fact]));
  const heads = await mergeHeads(tx, orgId, crmIds);
  return (crmId) => {
    const fact = facts.get(crmId);
    if (!fact) return undefined;
    return fact.merged_into ? heads.get(fact.id) : fact.deleted_at ? undefined : fact.id;
  };
}

/** For every account named that was merged away, the end of its chain. */
async function mergeHeads(
  tx: Tx,
  orgId: OrganizationId,
  crmIds: string[],
): Promise<Map<AccountId, AccountId>> {
  const heads = await findMergeHeads(tx, orgId, crmIds);
  return new Map(heads.map(({ id, head }) => [id, head]));
}
