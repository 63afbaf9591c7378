import { Type } from 'typebox';
import { List, One, PageQuery, strict } from '../../contract/envelope.ts';
import { invalidFields, notFound } from '../../contract/error.ts';
import { reference } from '../../contract/field.ts';
import { isId, type OrganizationId } from '../../contract/ids.ts';
import { ApiKeySchema, CreateApiKeySchema, NewApiKeySchema, OwnKeySchema } from '../../contract/key.ts';
import { parseTimestamp } from '../../contract/time.ts';
import { createKey } from '../../domain/api-keys.ts';
import { findOwnKey, listKeys, revokeKey } from '../../store/api-keys.ts';
import type { Queryable } from '../../store/connection.ts';
import { findOrganization } from '../../store/organizations.ts';
import { answerPost, envelope, listEnvelope } from '../answer.ts';
import type { Context } from '../context.ts';
import { callerOf, type Router } from '../router.ts';

const config = { access: { plane: 'operator' } } as const;
const tags = ['Operator'];
const params = Type.Object({ org_id: reference('organization', 'The organization.') });

export function keyRoutes(app: Router, ctx: Context): void {
  app.get('/v1/key', {
    config: { access: { plane: 'client', scope: 'read' } },
    schema: {
      operationId: 'getOwnKey',
      tags: ['Keys'],
      summary: 'Get the key of this request',
      description: 'What this key can do, and which organization it belongs to.',
      querystring: Type.Object({}, strict),
      response: { 200: One(OwnKeySchema, 'The key, without the key itself.') },
    },
    handler: async (request) => {
      const { org_id, key_id } = callerOf(request);
      const key = await findOwnKey(ctx.pool, org_id, key_id);
      if (!key) throw notFound('key');
      return envelope(request, key);
    },
  });

  app.post('/admin/v1/organizations/:org_id/keys', {
    config,
    schema: {
      operationId: 'createApiKey',
      tags,
      summary: 'Create an API key',
      description: 'Creates a key for the organization. The key is shown only in this response.',
      params,
      body: CreateApiKeySchema,
      response: { 201: One(NewApiKeySchema, 'The new key.') },
    },
    handler: (request, reply) =>
      answerPost(ctx, request, reply, 201, async (tx) => {
        const { name, scopes = ['write'], expires_at } = request.body;
        const orgId = await existingOrganization(tx, request.params.org_id);
        return createKey(tx, orgId, { name, scopes, expires_at: futureTime(expires_at) });
      }),
  });

  app.get('/admin/v1/organizations/:org_id/keys', {
    config,
    schema: {
      operationId: 'listApiKeys',
      tags,
      summary: 'List API keys',
      description:
        'Lists the keys of the organization that are not revoked, newest first, with their last use (accurate to ten seconds).',
      params,
      querystring: Type.Object(PageQuery, strict),
      response: { 200: List(ApiKeySchema, 'A page of keys.') },
    },
    handler: async (request) => {
      const orgId = await existingOrganization(ctx.pool, request.params.org_id);
      return listEnvelope(
        ctx,
        request,
        (limit, after) => listKeys(ctx.pool, orgId, limit, after),
        (key) => [key.id],
      );
    },
  });

  app.delete('/admin/v1/organizations/:org_id/keys/:key_id', {
    config,
    schema: {
      operationId: 'revokeApiKey',
      tags,
      summary: 'Revoke an API key',
      description: 'Revokes the key. Takes effect in every process within one second.',
      params: Type.Object({
        org_id: reference('organization', 'The organization.'),
        key_id: reference('key', 'The key, by its identifier.'),
      }),
      response: { 204: Type.Null({ description: 'The key is revoked.' }) },
    },
    handler: async (request, reply) => {
      const { org_id, key_id } = request.params;
      const revoked =
        isId('org', org_id) && isId('key', key_id) && (await revokeKey(ctx.pool, org_id, key_id));
      if (!revoked) throw notFound('key');
      return reply.code(204).send(null);
    },
  });
}

async function existingOrganization(db: Queryable, id: string): Promise<OrganizationId> {
  const organization = isId('org', id) && (await findOrganization(db, id));
  if (!organization) throw notFound('organization');
  return organization.id;
}

function futureTime(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = parseTimestamp(text);
  if (!time || time <= new Date()) {
    throw invalidFields([{ field: 'expires_at', code: 'out_of_range', message: 'must be in the future' }]);
  }
  return time;
}
