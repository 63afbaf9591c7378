import { type AccountId, newId, type OrganizationId } from '../../contract/ids.ts';
import type { AccountRow } from '../../contract/ingest.ts';
import { AccountSummary } from '../../contract/signal.ts';
import { maxHolders } from '../../rules/matching/choose-matches.ts';
import { accountKeys } from '../../rules/matching/matching.ts';
import type { Tx } from '../../store/db/tx.ts';
import {
  type AccountFact,
  findAccountFacts,
  findMergeHeads,
  upsertAccounts,
} from '../../store/facts/crm-facts.ts';
import { replaceAccountKeys } from '../../store/matching/matches.ts';
import { dateRange } from '../../vocabulary.ts';
import { noChangedRows, noteOpportunitiesSince, showsOtherwise, type Writer } from './changed-rows.ts';
import {
  applyVersion,
  Ledger,
  type Outcome,
  type Said,
  sameContent,
  toOwner,
  unknown,
  wholeRow,
} from './ledger.ts';
import { moveFacts } from './merge.ts';

export const ingestAccounts: Writer<'accounts'> = async (tx, orgId, rows, now, deliver) => {
  const crmIds = rows.flatMap(({ row }) => [row.crm_id, ...(row.merged_into ? [row.merged_into] : [])]);
  const [held, heads] = await Promise.all([
    findAccountFacts(tx, orgId, crmIds),
    mergeHeads(tx, orgId, crmIds),
  ]);
  const ledger = new Ledger<AccountFact>(held, (fact) => fact.crm_id);
  const merges = new Map<AccountId, AccountId>();

  const outcomes = rows.map((entry): Outcome => {
    const key = entry.row.crm_id;
    const held = ledger.get(key);
    const target = entry.row.merged_into ? mergeTarget(entry.row.merged_into, held) : null;
    if (target && typeof target !== 'string') return target;
    if (entry.form === 'withdrawal' && !target) return applyVersion(ledger, key, null, entry.row, now);
    const whole =
      entry.form === 'withdrawal'
        ? null
        : wholeRow('accounts', entry, held && { ...held, merged_into: undefined });
    if (whole && !('row' in whole)) return whole;
    // An account that was merged before it was ever loaded: rows that refer to it mean the other account.
    const nameless = { crm_id: key, name: key };
    const fact =
      whole !== null
        ? toFact(whole.row, held, target)
        : { ...(held ?? toFact(nameless, undefined, target)), merged_into: target };
    const outcome = applyVersion(ledger, key, fact, entry.row, now);
    if (target && target !== held?.merged_into && outcome !== 'unchanged') merges.set(fact.id, target);
    return outcome;
  });

  /** The final target of a merge: the target may itself have been merged, and must not lead back to this account. */
  function mergeTarget(crmId: string, from: AccountFact | undefined): AccountId | ReturnType<typeof unknown> {
    const named = ledger.get(crmId);
    const head = named && headOf(named.id);
    if (head && head === from?.id)
      return {
        field: 'merged_into',
        code: 'invalid_value',
        message: 'leads back to this account',
      };
    if (!head || !isAlive(named)) return unknown('merged_into', 'account');
    // The same target as before, possibly through other accounts.
    return from?.merged_into && headOf(from.id) === head ? from.merged_into : head;
  }

  function headOf(id: AccountId): AccountId {
    let head = id;
    for (let next: AccountId | undefined = id; next; next = merges.get(head) ?? heads.get(head)?.head)
      head = next;
    return head;
  }

  function isAlive({ id, deleted_at }: AccountFact): boolean {
    return merges.has(id) || (heads.get(id)?.alive ?? deleted_at === null);
  }

  const changed = ledger.changes().filter(({ before, after }) => !before || !sameContent(before, after));
  const changedRows = noChangedRows();
  const written = ledger.changes().map(({ after }) => after);
  if (written.length > 0) await upsertAccounts(tx, orgId, written, now);
  if (changed.length > 0) {
    const known = changed.flatMap(({ before }) => (before ? [before.id] : []));
    const keys = changed.flatMap(({ after }) =>
      after.deleted_at || after.merged_into
        ? []
        : accountKeys(after).map((key) => ({ account_id: after.id, ...key })),
    );
    for (const id of await replaceAccountKeys(tx, orgId, known, keys, maxHolders))
      changedRows.rematch.add(id);
    for (const { before, after } of changed) {
      // A new account has no facts yet except matches by key.
      if (!before) {
        changedRows.fresh.add(after.id);
        continue;
      }
      changedRows.rematch.add(after.id);
      changedRows.accounts.add(after.id);
      if (showsOtherwise(AccountSummary, before, after)) changedRows.shown.accounts.add(after.id);
    }
  }
  for (const [from, into] of merges) {
    await moveFacts(tx, orgId, from, into, { now, deliver });
    changedRows.accounts.add(into);
    changedRows.rematch.add(into);
    // The merged account may have brought decisions with it.
    changedRows.fresh.delete(into);
    noteOpportunitiesSince(changedRows, into, dateRange.first);
  }
  return { outcomes, changedRows };
};

function toFact(
  row: Pick<AccountRow, 'crm_id' | 'name'> & Partial<AccountRow>,
  held: AccountFact | undefined,
  merged_into: AccountId | null,
): Said<AccountFact> {
  return {
    id: held?.id ?? newId('acc'),
    crm_id: row.crm_id,
    name: row.name,
    domain: row.domain ?? null,
    extra_domains: row.extra_domains ?? [],
    country: row.country ?? null,
    registry_number: row.registry_number ?? null,
    ...toOwner(row.owner),
    merged_into: merged_into ?? held?.merged_into ?? null,
  };
}

/** By crm_id, the account that has its facts now, after any merges. */
export async function resolveAccounts(
  tx: Tx,
  orgId: OrganizationId,
  crmIds: string[],
): Promise<(crmId: string) => AccountId | undefined> {
  const [found, heads] = await Promise.all([
    findAccountFacts(tx, orgId, crmIds),
    mergeHeads(tx, orgId, crmIds),
  ]);
  const facts = new Map(found.map((fact) => [fact.crm_id, fact]));
  return (crmId) => {
    const fact = facts.get(crmId);
    if (!fact) return undefined;
    if (!fact.merged_into) return fact.deleted_at ? undefined : fact.id;
    const end = heads.get(fact.id);
    return end?.alive ? end.head : undefined;
  };
}

/** The end of the merge chain of every given account. */
async function mergeHeads(
  tx: Tx,
  orgId: OrganizationId,
  crmIds: string[],
): Promise<Map<AccountId, { head: AccountId; alive: boolean }>> {
  const heads = await findMergeHeads(tx, orgId, crmIds);
  return new Map(heads.map(({ id, head, alive }) => [id, { head, alive }]));
}
