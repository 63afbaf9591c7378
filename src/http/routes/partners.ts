import { Type } from 'typebox';
import { List, One, PageQuery, strict } from '../../contract/envelope.ts';
import { notFound } from '../../contract/error.ts';
import { reference } from '../../contract/field.ts';
import { isId, type OrganizationId, type PartnerId } from '../../contract/ids.ts';
import { OverlapSchema } from '../../contract/overlap.ts';
import { PartnerDetailSchema, PartnerQuerySchema, PartnerSchema } from '../../contract/partner.ts';
import { PartnerActivitySchema } from '../../contract/signal.ts';
import { readPartner } from '../../domain/partners.ts';
import { listPartnerActivities } from '../../store/activities.ts';
import { snapshot } from '../../store/connection.ts';
import { listOverlaps } from '../../store/matches.ts';
import { findPartner, listPartners } from '../../store/partners.ts';
import { envelope, listEnvelope } from '../answer.ts';
import type { Context } from '../context.ts';
import { callerOf, type Router } from '../router.ts';

const config = { access: { plane: 'client', scope: 'read' } } as const;
const tags = ['Partners'];
const params = Type.Object({ partner_id: reference('partner', 'The partner.') });

export function partnerRoutes(app: Router, ctx: Context): void {
  app.get('/v1/partners', {
    config,
    schema: {
      operationId: 'listPartners',
      tags,
      summary: 'List partners',
      description: 'Lists partners by name.',
      querystring: PartnerQuerySchema,
      response: { 200: List(PartnerSchema, 'A page of partners.') },
    },
    handler: async (request) => {
      const { org_id } = callerOf(request);
      const { type, tier } = request.query;
      const filters = { ...(type ? { type } : {}), ...(tier ? { tier } : {}) };
      return listEnvelope(
        ctx,
        request,
        (limit, after) => listPartners(ctx.pool, org_id, filters, limit, after),
        (partner) => [partner.name_key, partner.id],
      );
    },
  });

  app.get('/v1/partners/:partner_id', {
    config,
    schema: {
      operationId: 'getPartner',
      tags,
      summary: 'Get a partner',
      description: 'Returns a partner with its current co-sell density score and number of active signals.',
      params,
      response: { 200: One(PartnerDetailSchema, 'The partner in full.') },
    },
    handler: async (request) => {
      const { partner_id } = request.params;
      const { org_id } = callerOf(request);
      const partner =
        isId('prt', partner_id) &&
        (await snapshot(ctx.pool, (db) => readPartner(db, org_id, partner_id, new Date())));
      if (!partner) throw notFound('partner');
      return envelope(request, partner);
    },
  });

  app.get('/v1/partners/:partner_id/activities', {
    config,
    schema: {
      operationId: 'listPartnerActivities',
      tags,
      summary: "List a partner's activities",
      description: 'Lists what the partner did on all accounts, newest first.',
      params,
      querystring: Type.Object(PageQuery, strict),
      response: { 200: List(PartnerActivitySchema, 'A page of activities.') },
    },
    handler: async (request) => {
      const { org_id } = callerOf(request);
      const partnerId = await existingPartner(ctx, org_id, request.params.partner_id);
      return listEnvelope(
        ctx,
        request,
        (limit, after) => listPartnerActivities(ctx.pool, org_id, partnerId, limit, after),
        (activity) => [activity.occurred_at.toISOString(), activity.id],
      );
    },
  });

  app.get('/v1/partners/:partner_id/overlaps', {
    config,
    schema: {
      operationId: 'listPartnerOverlaps',
      tags,
      summary: "List a partner's overlaps",
      description:
        'Lists the accounts you share with the partner, newest match first, each with the kind of match and its confidence.',
      params,
      querystring: Type.Object(PageQuery, strict),
      response: { 200: List(OverlapSchema, 'A page of overlaps.') },
    },
    handler: async (request) => {
      const { org_id } = callerOf(request);
      const partnerId = await existingPartner(ctx, org_id, request.params.partner_id);
      return listEnvelope(
        ctx,
        request,
        (limit, after) => listOverlaps(ctx.pool, org_id, partnerId, limit, after),
        (overlap) => [overlap.matched_at.toISOString(), overlap.account.id],
      );
    },
  });
}

async function existingPartner(ctx: Context, orgId: OrganizationId, id: string): Promise<PartnerId> {
  const partner = isId('prt', id) && (await findPartner(ctx.pool, orgId, id));
  if (!partner) throw notFound('partner');
  return partner.id;
}
