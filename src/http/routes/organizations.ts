import { List, One, PageQuerySchema } from '../../contract/envelope.ts';
import { newId } from '../../contract/ids.ts';
import {
  ChangeOrganizationSchema,
  CreateOrganizationSchema,
  OrganizationSchema,
} from '../../contract/organization.ts';
import { createOrganization } from '../../domain/organizations.ts';
import { findOrganization, listOrganizations, updateOrganization } from '../../store/keys/organizations.ts';
import { byId } from '../call.ts';
import type { Context } from '../context.ts';
import { operator, routeTable } from '../route-table.ts';
import { operatorOf, type Router } from '../router.ts';

export function organizationRoutes(app: Router, ctx: Context): void {
  const route = routeTable(app, ctx, 'Operator');

  route('POST /admin/v1/organizations', 'createOrganization', operator, {
    summary: 'Create an organization',
    description: 'Creates an organization with the default settings. It has no key yet.',
    body: CreateOrganizationSchema,
    response: { 201: One(OrganizationSchema, 'The new organization.') },
    handler: (call) => {
      const id = newId('org');
      const by = operatorOf(call.request);
      return call.post(201, (tx) => createOrganization(tx, id, call.body, by), id);
    },
  });

  route('GET /admin/v1/organizations', 'listOrganizations', operator, {
    summary: 'List organizations',
    description: 'Lists organizations, newest first.',
    querystring: PageQuerySchema,
    response: { 200: List(OrganizationSchema, 'A page of organizations.') },
    handler: (call) => call.page((...page) => listOrganizations(ctx.db.global, ...page), byId),
  });

  route('GET /admin/v1/organizations/:org_id', 'getOrganization', operator, {
    summary: 'Get an organization',
    description: 'Returns an organization.',
    response: { 200: One(OrganizationSchema, 'The organization.') },
    handler: async (call) => call.one(await findOrganization(call.read, call.orgId)),
  });

  route('PATCH /admin/v1/organizations/:org_id', 'changeOrganization', operator, {
    summary: 'Change an organization',
    description: 'Changes the name, the plan, or both. A new plan takes effect within a second.',
    body: ChangeOrganizationSchema,
    response: { 200: One(OrganizationSchema, 'The organization.') },
    handler: async (call) => {
      const organization = await call.write((tx) => updateOrganization(tx, call.orgId, call.body));
      ctx.keys.forget();
      return call.one(organization);
    },
  });
}
