import { type TObject, Type } from 'typebox';
import type { Account } from '../contract/account.ts';
import { ApiError, notFound } from '../contract/error.ts';
import { type AccountId, isId, type OpportunityId, type PartnerId } from '../contract/ids.ts';
import { PartnerSchema, type StoredPartner } from '../contract/partner.ts';
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
import { Account as AccountShape, CrmOpportunity as CrmOpportunityShape } from './shapes.ts';
import type { Ask } from './tool.ts';
import { mark } from './untrusted.ts';

/** The most candidates that an error lists; one more is read to know whether there are others. */
const choices = 5;

export async function resolvePartner({ db, orgId }: Ask, text: string): Promise<StoredPartner> {
  const name = text.trim();
  const id = isId('prt', name)
    ? name
    : only('partner', name, await searchPartners(db, orgId, name, choices + 1), PartnerSchema);
  return found('partner', id, await findPartner(db, orgId, id as PartnerId));
}

export async function resolveAccount({ db, orgId }: Ask, text: string): Promise<Account> {
  const name = text.trim();
  const id = isId('acc', name)
    ? name
    : only('account', name, await searchAccounts(db, orgId, name, choices + 1), AccountShape);
  return found('account', id, await findAccountSummary(db, orgId, id as AccountId));
}

/** Finds a deal by its own name, or else the only open deal of the account with that name. */
export async function resolveOpportunity({ db, orgId }: Ask, text: string): Promise<CrmOpportunity> {
  const name = text.trim();
  if (isId('opp', name)) return found('deal', name, await findCrmOpportunity(db, orgId, name));
  const named = await searchOpportunities(db, orgId, name, [], choices + 1);
  const accounts = named.length > 0 ? [] : await searchAccounts(db, orgId, name, choices);
  const accountIds = accounts.map((account) => account.id);
  const opportunities =
    named.length > 0 ? named : await searchOpportunities(db, orgId, name, accountIds, choices + 1);
  const candidates = opportunities.length > 1 ? preferOpen(opportunities) : opportunities;
  const id = only('deal', name, candidates, DealShape);
  return opportunities.find((opportunity) => opportunity.id === id) as CrmOpportunity;
}

export async function resolveSignal({ db, orgId }: Ask, id: string): Promise<SignalInFull> {
  return found('signal', id, isId('sig', id) ? await findSignal(db, orgId, id) : undefined);
}

export async function resolveRecord({ db, orgId }: Ask, id: string) {
  const record = isId('atr', id) ? await readAttribution(db, orgId, id) : undefined;
  return found('attribution record', id, record);
}

/** "The Harbour Mills deal" means the open one. */
function preferOpen(opportunities: CrmOpportunity[]): CrmOpportunity[] {
  const open = opportunities.filter((opportunity) => opportunity.status === 'open');
  return open.length === 1 ? open : opportunities;
}

function found<T>(what: string, id: string, thing: T | undefined): T {
  if (thing === undefined) throw notFound(what, id);
  return thing;
}

type Named = { id: PartnerId | AccountId | OpportunityId; name: string; crm_id?: string };

/** Names are text that others wrote, so they must not be in the message: they are beside it, and marked. */
export class SeveralFound extends ApiError {
  readonly candidates: unknown[];

  constructor(what: string, candidates: Named[], shape: TObject) {
    super(
      'invalid_request',
      `More than one ${what} matches. Pass the identifier of the one that is meant, such as one of: ${candidates.map(({ id }) => id).join(', ')}.`,
    );
    this.candidates = candidates.map((candidate) => mark(shape, candidate, 100));
  }
}

const DealShape = Type.Pick(CrmOpportunityShape, [
  'id',
  'name',
  'value',
  'currency',
  'stage',
  'status',
  'account',
]);

/** Returns the only candidate. */
function only(what: string, text: string, candidates: Named[], shape: TObject): string {
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
  throw new SeveralFound(what, [match, ...others].slice(0, choices), shape);
}
