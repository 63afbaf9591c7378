import { expect } from 'vitest';
import type { Account, MatchDecisionDetail, MatchSuggestion, Overlap } from '../../src/client/types.ts';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { suggestStep } from '../../src/domain/match-suggestions.ts';
import { readAll } from '../facts.ts';
import type { TestOrganization, TestService } from '../harness.ts';

export type Decision = { account: string; listed: string; decision: 'same' | 'different'; note?: string };

/** The IDs of the only partner and of the accounts, by crm_id. */
export async function idsOf(org: TestOrganization) {
  const [partner] = await readAll<{ id: string }>(org, '/v1/partners');
  const accounts = await readAll<Account>(org, '/v1/accounts');
  const byCrmId = new Map(accounts.map(({ id, crm_id }) => [crm_id, id]));
  return { partner: partner?.id ?? '', account: (crmId: string) => byCrmId.get(crmId) ?? '' };
}

export async function bodyOf(org: TestOrganization, { account, listed, decision, note }: Decision) {
  const ids = await idsOf(org);
  return {
    account_id: ids.account(account),
    partner_id: ids.partner,
    partner_account_external_id: listed,
    decision,
    ...(note === undefined ? {} : { note }),
  };
}

export async function decide(
  org: TestOrganization,
  account: string,
  listed: string,
  decision: 'same' | 'different',
): Promise<MatchDecisionDetail> {
  const answer = await org.call('POST', '/v1/match_decisions', {
    body: await bodyOf(org, { account, listed, decision }),
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
}

/** One `a1 = l1 (confirmed)` per match. */
export async function matchesOf(org: TestOrganization): Promise<string[]> {
  const { partner } = await idsOf(org);
  const overlaps = await readAll<Overlap>(org, `/v1/partners/${partner}/overlaps`);
  return overlaps
    .map((one) => `${one.account.crm_id} = ${one.partner_account.external_id} (${one.matched_by})`)
    .sort();
}

export const suggestionsOf = (org: TestOrganization, query = ''): Promise<MatchSuggestion[]> =>
  readAll(org, `/v1/match_suggestions${query}`);

/** Computes all pending suggestions now. */
export async function lookForSuggestions(service: TestService, org: TestOrganization): Promise<void> {
  const orgId = org.orgId as OrganizationId;
  const waiting = async () => (await org.get('/v1/matches/quality')).body.data.suggestions.waiting;
  while ((await waiting()) > 0) await service.db.write(orgId, (tx) => suggestStep(tx, orgId, new Date()));
}
