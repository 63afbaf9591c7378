import { AccountDetailSchema, AccountQuerySchema, AccountSchema } from '../../contract/account.ts';
import { List, One, PageQuerySchema } from '../../contract/envelope.ts';
import {
  OpportunityDetailSchema,
  OpportunityQuerySchema,
  OpportunitySchema,
} from '../../contract/opportunity.ts';
import { AccountActivitySchema } from '../../contract/signal.ts';
import { withConverted } from '../../domain/conversion.ts';
import { searched } from '../../domain/search.ts';
import { findAccount, listAccounts } from '../../store/facts/accounts.ts';
import { listAccountActivities } from '../../store/facts/activities.ts';
import {
  findOpportunity,
  listOpportunities,
  type OpportunityFilters,
} from '../../store/facts/opportunities.ts';
import { listSharingPartners } from '../../store/matching/matches.ts';
import { pageLimits } from '../../vocabulary.ts';
import { byName, byTime, canMatch } from '../call.ts';
import type { Context } from '../context.ts';
import { read, routeTable } from '../route-table.ts';
import type { Router } from '../router.ts';

export function accountRoutes(app: Router, ctx: Context): void {
  const route = routeTable(app, ctx, 'Accounts');

  route('GET /v1/accounts', 'listAccounts', read, {
    cached: true,
    summary: 'List accounts',
    description: 'Lists the accounts of your CRM by name, without deleted and merged ones.',
    querystring: AccountQuerySchema,
    response: { 200: List(AccountSchema, 'A page of accounts.') },
    handler: (call) =>
      call.page(
        (...page) => listAccounts(call.read, call.orgId, searched(call.query).search ?? null, ...page),
        byName,
      ),
  });

  route('GET /v1/accounts/:account_id', 'getAccount', read, {
    cached: true,
    summary: 'Get an account',
    description:
      'Returns an account with the partners that share it. If it was merged into another account, `merged_into` is that account.',
    response: { 200: One(AccountDetailSchema, 'The account in full.') },
    handler: async (call) => {
      const account = call.found(await findAccount(call.read, call.orgId, call.ids.account_id));
      const overlaps = await listSharingPartners(call.read, call.orgId, account.id, pageLimits.most);
      return call.one({ ...account, overlaps });
    },
  });

  route('GET /v1/accounts/:account_id/activities', 'listAccountActivities', read, {
    cached: true,
    summary: "List an account's activities",
    description: 'Lists what all partners did on the account, newest first.',
    querystring: PageQuerySchema,
    response: { 200: List(AccountActivitySchema, 'A page of activities.') },
    handler: async (call) => {
      const { id } = call.found(await findAccount(call.read, call.orgId, call.ids.account_id));
      return call.page((...page) => listAccountActivities(call.read, call.orgId, id, ...page), byTime);
    },
  });

  route('GET /v1/opportunities', 'listOpportunities', read, {
    cached: true,
    summary: 'List opportunities',
    description: 'Lists the deals of your CRM by name, without prospective and deleted ones.',
    querystring: OpportunityQuerySchema,
    response: { 200: List(OpportunitySchema, 'A page of deals.') },
    handler: (call) => {
      const { query, orgId } = call;
      const { search = null } = searched(query);
      return call.page(async (...page) => {
        if (!canMatch<OpportunityFilters>(query)) return [];
        const opportunities = await listOpportunities(call.read, orgId, query, search, ...page);
        return withConverted(call.read, orgId, opportunities, new Date());
      }, byName);
    },
  });

  route('GET /v1/opportunities/:opportunity_id', 'getOpportunity', read, {
    cached: true,
    summary: 'Get an opportunity',
    description: 'Returns a deal, or the prospective deal of an account.',
    response: { 200: One(OpportunityDetailSchema, 'The deal in full.') },
    handler: async (call) => {
      const opportunity = call.found(await findOpportunity(call.read, call.orgId, call.ids.opportunity_id));
      const [converted] = await withConverted(call.read, call.orgId, [opportunity], new Date());
      return call.one(converted);
    },
  });
}
