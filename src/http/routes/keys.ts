import { Type } from 'typebox';
import { List, One, PageQuerySchema } from '../../contract/envelope.ts';
import { invalidField, notFound } from '../../contract/error.ts';
import { isId } from '../../contract/ids.ts';
import { ApiKeySchema, CreateApiKeySchema, NewApiKeySchema, OwnKeySchema } from '../../contract/key.ts';
import { parseTimestamp } from '../../contract/values/time.ts';
import { createKey } from '../../domain/api-keys.ts';
import { findOwnKey, listKeys, revokeKey } from '../../store/keys/api-keys.ts';
import { findOrganization } from '../../store/keys/organizations.ts';
import { byId } from '../call.ts';
import type { Context } from '../context.ts';
import { operator, read, routeTable } from '../route-table.ts';
import { callerOf, type Router } from '../router.ts';

export function keyRoutes(app: Router, ctx: Context): void {
  const ownRoute = routeTable(app, ctx, 'Keys');
  const route = routeTable(app, ctx, 'Operator');

  ownRoute('GET /v1/me', 'getOwnKey', read, {
    summary: 'Get the key of this request',
    description: 'Returns what this key can do and which organization it belongs to.',
    response: { 200: One(OwnKeySchema, 'The key, without the key itself.') },
    handler: async (call) => {
      const { org_id, key_id } = callerOf(call.request);
      const key = await findOwnKey(call.read, org_id, key_id);
      if (!key) throw notFound('key', key_id);
      return call.one(key);
    },
  });

  route('POST /admin/v1/organizations/:org_id/keys', 'createApiKey', operator, {
    summary: 'Create an API key',
    description: 'Creates a key for the organization. The key is shown only in this response.',
    body: CreateApiKeySchema,
    response: { 201: One(NewApiKeySchema, 'The new key.') },
    handler: (call) =>
      call.post(201, async (tx) => {
        const { name, scopes = ['write'], expires_at } = call.body;
        const { id } = call.found(await findOrganization(tx, call.orgId));
        return createKey(tx, id, { name, scopes, expires_at: futureTime(expires_at) });
      }),
  });

  route('GET /admin/v1/organizations/:org_id/keys', 'listApiKeys', operator, {
    summary: 'List API keys',
    description:
      'Lists the keys of the organization that are not revoked, newest first, with their last use (accurate to ten seconds).',
    querystring: PageQuerySchema,
    response: { 200: List(ApiKeySchema, 'A page of keys.') },
    handler: async (call) => {
      const { id } = call.found(await findOrganization(call.read, call.orgId));
      return call.page((...page) => listKeys(call.read, id, ...page), byId);
    },
  });

  route('DELETE /admin/v1/organizations/:org_id/keys/:key_id', 'revokeApiKey', operator, {
    summary: 'Revoke an API key',
    description: 'Revokes the key. Takes effect in every process within one second.',
    response: { 204: Type.Null({ description: 'The key is revoked.' }) },
    handler: async (call) => {
      const { org_id, key_id } = call.params;
      const isRevoked =
        isId('org', org_id) &&
        isId('key', key_id) &&
        (await call.write((tx) => revokeKey(tx, org_id, key_id)));
      ctx.keys.forget();
      return call.gone(isRevoked);
    },
  });
}

function futureTime(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = parseTimestamp(text);
  if (!time || time <= new Date()) {
    throw invalidField('expires_at', 'out_of_range', 'must be in the future');
  }
  return time;
}
