import { Type } from 'typebox';
import { List, One, PageQuery, strict } from '../../contract/envelope.ts';
import { notFound } from '../../contract/error.ts';
import { reference } from '../../contract/field.ts';
import { isId } from '../../contract/ids.ts';
import {
  ChangeOrganizationSchema,
  CreateOrganizationSchema,
  OrganizationSchema,
} from '../../contract/organization.ts';
import { createOrganization } from '../../domain/organizations.ts';
import { transaction } from '../../store/connection.ts';
import { findOrganization, listOrganizations, updateOrganization } from '../../store/organizations.ts';
import { answerPost, envelope, listEnvelope } from '../answer.ts';
import type { Context } from '../context.ts';
import { operatorOf, type Router } from '../router.ts';

const config = { access: { plane: 'operator' } } as const;
const tags = ['Operator'];
const params = Type.Object({ org_id: reference('organization', 'The organization.') });

export function organizationRoutes(app: Router, ctx: Context): void {
  app.post('/admin/v1/organizations', {
    config,
    schema: {
      operationId: 'createOrganization',
      tags,
      summary: 'Create an organization',
      description: 'Creates an organization with the default settings. It has no key yet.',
      body: CreateOrganizationSchema,
      response: { 201: One(OrganizationSchema, 'The new organization.') },
    },
    handler: (request, reply) =>
      answerPost(ctx, request, reply, 201, (tx) => createOrganization(tx, request.body, operatorOf(request))),
  });

  app.get('/admin/v1/organizations', {
    config,
    schema: {
      operationId: 'listOrganizations',
      tags,
      summary: 'List organizations',
      description: 'Lists organizations, newest first.',
      querystring: Type.Object(PageQuery, strict),
      response: { 200: List(OrganizationSchema, 'A page of organizations.') },
    },
    handler: (request) =>
      listEnvelope(
        ctx,
        request,
        (limit, after) => listOrganizations(ctx.pool, limit, after),
        (organization) => [organization.id],
      ),
  });

  app.get('/admin/v1/organizations/:org_id', {
    config,
    schema: {
      operationId: 'getOrganization',
      tags,
      summary: 'Get an organization',
      description: 'Returns an organization.',
      params,
      response: { 200: One(OrganizationSchema, 'The organization.') },
    },
    handler: async (request) => {
      const { org_id } = request.params;
      const organization = isId('org', org_id) && (await findOrganization(ctx.pool, org_id));
      if (!organization) throw notFound('organization');
      return envelope(request, organization);
    },
  });

  app.patch('/admin/v1/organizations/:org_id', {
    config,
    schema: {
      operationId: 'changeOrganization',
      tags,
      summary: 'Change an organization',
      description: 'Changes the name, the plan, or both. A new plan takes effect within a second.',
      params,
      body: ChangeOrganizationSchema,
      response: { 200: One(OrganizationSchema, 'The organization.') },
    },
    handler: async (request) => {
      const { org_id } = request.params;
      if (!isId('org', org_id)) throw notFound('organization');
      const organization = await transaction(ctx.pool, (tx) => updateOrganization(tx, org_id, request.body));
      if (!organization) throw notFound('organization');
      return envelope(request, organization);
    },
  });
}
