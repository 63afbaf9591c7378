import type { Account } from '../contract/account.ts';
import { ApiError, notFound } from '../contract/error.ts';
import { type AccountId, isId, type OpportunityId, type PartnerId } from '../contract/ids.ts';
import type { StoredPartner } from '../contract/partner.ts';
import { readAttribution } from '../domain/explain-credit.ts';
import { findPartner } from '../store/facts/partners.ts';
import {
  type CrmOpportunity,
  findAccountSummary,
  findCrmOpportunity,
  searchAccounts,
  searchOpportunities,
  searchPartners,
} from '../store/facts/search.ts';
import { findSignal, type SignalInFull } from '../store/signals/signal-items.ts';
import type { Ask } from './tool.ts';

/** The most candidates that an error lists; one more is read to know whether there are others. */
const choices = 5;

export async function resolvePartner({ db, orgId }: Ask, text: string): Promise<StoredPartner> {
  const name = text.trim();
  const id = isId('prt', name)
    ? name
    : only('partner', name, await searchPartners(db, orgId, name, choices + 1));
  return found('partner', await findPartner(db, orgId, id as PartnerId));
}

export async function resolveAccount({ db, orgId }: Ask, text: string): Promise<Account> {
  const name = text.trim();
  const id = isId('acc', name)
    ? name
    : only('account', name, await searchAccounts(db, orgId, name, choices + 1));
  return found('account', await findAccountSummary(db, orgId, id as AccountId));
}

/** Finds a deal by its own name, or else the only open deal of the account with that name. */
export async function resolveOpportunity({ db, orgId }: Ask, text: string): Promise<CrmOpportunity> {
  const name = text.trim();
  if (isId('opp', name)) return found('deal', await findCrmOpportunity(db, orgId, name));
  const named = await searchOpportunities(db, orgId, name, [], choices + 1);
  const accounts = named.length > 0 ? [] : await searchAccounts(db, orgId, name, choices);
  const accountIds = accounts.map((account) => account.id);
  const opportunities =
    named.length > 0 ? named : await searchOpportunities(db, orgId, name, accountIds, choices + 1);
  const id = only('deal', name, opportunities.length > 1 ? preferOpen(opportunities) : opportunities);
  return opportunities.find((opportunity) => opportunity.id === id) as CrmOpportunity;
}

export async function resolveSignal({ db, orgId }: Ask, id: string): Promise<SignalInFull> {
  return found('signal', isId('sig', id) ? await findSignal(db, orgId, id) : undefined);
}

export async function resolveRecord({ db, orgId }: Ask, id: string) {
  return found('attribution record', isId('atr', id) ? await readAttribution(db, orgId, id) : undefined);
}

/** "The Harbour Mills deal" means the open one. */
function preferOpen(opportunities: CrmOpportunity[]): CrmOpportunity[] {
  const open = opportunities.filter((opportunity) => opportunity.status === 'open');
  return open.length === 1 ? open : opportunities;
}

function found<T>(what: string, thing: T | undefined): T {
  if (thing === undefined) throw notFound(what);
  return thing;
}

type Named = { id: PartnerId | AccountId | OpportunityId; name: string; crm_id?: string };

/** Returns the only candidate. The error lists no names: text that a partner wrote must not appear in our messages. */
function only(what: string, text: string, candidates: Named[]): string {
  const exact = candidates.filter(
    ({ name, crm_id }) => crm_id === text || name.toLowerCase() === text.toLowerCase(),
  );
  const [match, ...others] = exact.length > 0 ? exact : candidates;
  if (!match)
    throw new ApiError(
      'not_found',
      `There is no ${what} with this name or identifier. Use search to find it.`,
    );
  if (others.length === 0) return match.id;
  const ids = [match, ...others].slice(0, choices).map(({ id }) => id);
  throw new ApiError(
    'invalid_request',
    `More than one ${what} has this name. Use search to tell them apart, then pass an identifier, such as one of: ${ids.join(', ')}.`,
  );
}
