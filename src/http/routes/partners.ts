import { List, One, PageQuerySchema } from '../../contract/envelope.ts';
import { OverlapSchema } from '../../contract/overlap.ts';
import { PartnerDetailSchema, PartnerQuerySchema, PartnerSchema } from '../../contract/partner.ts';
import { ScorecardQuerySchema, ScorecardSchema, scorecardColumns } from '../../contract/scorecard.ts';
import { PartnerActivitySchema } from '../../contract/signal.ts';
import { utcPeriod } from '../../contract/values/time.ts';
import { readPartner } from '../../domain/partners.ts';
import { scorePartners } from '../../domain/scorecard.ts';
import { searched } from '../../domain/search.ts';
import { listPartnerActivities } from '../../store/facts/activities.ts';
import { findPartner, listPartners } from '../../store/facts/partners.ts';
import { listOverlaps } from '../../store/matching/matches.ts';
import { byName, byTime } from '../call.ts';
import type { Context } from '../context.ts';
import { read, routeTable } from '../route-table.ts';
import type { Router } from '../router.ts';

export function partnerRoutes(app: Router, ctx: Context): void {
  const route = routeTable(app, ctx, 'Partners');

  route('GET /v1/partners', 'listPartners', read, {
    cached: true,
    summary: 'List partners',
    description: 'Lists partners by name.',
    querystring: PartnerQuerySchema,
    response: { 200: List(PartnerSchema, 'A page of partners.') },
    handler: (call) =>
      call.page(
        (...page) => listPartners(call.read, call.orgId, { ...call.query, ...searched(call.query) }, ...page),
        byName,
      ),
  });

  route('GET /v1/partners/scorecard', 'getPartnerScorecard', read, {
    cached: true,
    summary: 'Compare partners',
    description:
      'Returns what each partner contributes: credited value by tier and month, win rate, open deals, co-sell density and active signals; and the open pipeline. `closed_after` and `closed_before` limit credit and win rate.',
    querystring: ScorecardQuerySchema,
    response: { 200: One(ScorecardSchema, 'The scorecard.') },
    csv: {
      columns: scorecardColumns,
      rows: ({ currency, partners }) => partners.map((score) => ({ ...score, currency })),
    },
    handler: async (call) => {
      const filters = { ...call.query, ...utcPeriod(call.query) };
      return call.one(await call.report((db) => scorePartners(db, call.orgId, filters, new Date())));
    },
  });

  route('GET /v1/partners/:partner_id', 'getPartner', read, {
    cached: true,
    summary: 'Get a partner',
    description: 'Returns a partner with its current co-sell density score and number of active signals.',
    response: { 200: One(PartnerDetailSchema, 'The partner in full.') },
    handler: async (call) => {
      const { partner_id } = call.ids;
      return call.one(await call.report((db) => readPartner(db, call.orgId, partner_id, new Date())));
    },
  });

  route('GET /v1/partners/:partner_id/activities', 'listPartnerActivities', read, {
    cached: true,
    summary: "List a partner's activities",
    description: 'Lists what the partner did on all accounts, newest first.',
    querystring: PageQuerySchema,
    response: { 200: List(PartnerActivitySchema, 'A page of activities.') },
    handler: async (call) => {
      const { id } = call.found(await findPartner(call.read, call.orgId, call.ids.partner_id));
      return call.page((...page) => listPartnerActivities(call.read, call.orgId, id, ...page), byTime);
    },
  });

  route('GET /v1/partners/:partner_id/overlaps', 'listPartnerOverlaps', read, {
    cached: true,
    summary: "List a partner's overlaps",
    description:
      'Lists the accounts you share with the partner, newest match first, each with the kind of match and its confidence.',
    querystring: PageQuerySchema,
    response: { 200: List(OverlapSchema, 'A page of overlaps.') },
    handler: async (call) => {
      const { id } = call.found(await findPartner(call.read, call.orgId, call.ids.partner_id));
      return call.page(
        (...page) => listOverlaps(call.read, call.orgId, id, ...page),
        (overlap) => [overlap.matched_at.toISOString(), overlap.account.id],
      );
    },
  });
}
