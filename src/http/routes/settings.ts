import type { FastifyReply, FastifyRequest } from 'fastify';
import { List, One, PageQuerySchema } from '../../contract/envelope.ts';
import { ApiError } from '../../contract/error.ts';
import { SettingsInputSchema, type SettingsVersion, SettingsVersionSchema } from '../../contract/settings.ts';
import { text } from '../../contract/values/field.ts';
import { replaceSettings } from '../../domain/organizations.ts';
import { findSettings, listSettingsVersions } from '../../store/keys/settings.ts';
import { changedBy } from '../admission/actor.ts';
import { requireMatch } from '../admission/if-match.ts';
import type { Context } from '../context.ts';
import { admin, operator, read, routeTable } from '../route-table.ts';
import { operatorOf, type Router } from '../router.ts';

const tagged = { headers: { ETag: text('Strong ETag of the settings, for If-Match.', '"1"') } };
const replaced = { data: { version: 2, created_at: '2026-03-02T09:30:00.000Z' } };

export function settingsRoutes(app: Router, ctx: Context): void {
  const route = routeTable(app, ctx, 'Operator');

  route('GET /admin/v1/organizations/:org_id/settings', 'getSettings', operator, {
    summary: 'Get the settings',
    description: 'Returns the current settings of the rules and the attribution policy, with their version.',
    response: { 200: One(SettingsVersionSchema, 'The current settings.', tagged) },
    handler: async (call) => tag(call.reply, call.one(await findSettings(call.read, call.orgId))),
  });

  route('PUT /admin/v1/organizations/:org_id/settings', 'replaceSettings', operator, {
    summary: 'Replace the settings',
    description:
      'Replaces all settings and creates a new version. `If-Match` is required, so that you do not overwrite a change that you have not seen. A repeated request therefore fails with 412. Records keep the version that decided them.',
    body: SettingsInputSchema,
    response: { 200: One(SettingsVersionSchema, 'The new settings.', { ...tagged, examples: [replaced] }) },
    config: { honours: ['If-Match'], refuses: ['precondition_failed'] },
    handler: async (call) => {
      const by = operatorOf(call.request);
      const check = requireCurrent(call.request);
      const saved = await call.write((tx) => replaceSettings(tx, call.orgId, call.body, by, check));
      return tag(call.reply, call.one(saved));
    },
  });

  const ownRoute = routeTable(app, ctx, 'Settings');

  ownRoute('GET /v1/settings', 'getOwnSettings', read, {
    summary: 'Get your settings',
    description:
      'Returns the current settings of the rules and the attribution policy of your organization, with their version.',
    response: { 200: One(SettingsVersionSchema, 'The current settings.', tagged) },
    handler: async (call) => tag(call.reply, call.one(await findSettings(call.read, call.orgId))),
  });

  ownRoute('GET /v1/settings/versions', 'listOwnSettingsVersions', read, {
    summary: 'List versions of your settings',
    description:
      'Lists every version of your settings, newest first: when it took effect and who created it.',
    querystring: PageQuerySchema,
    response: { 200: List(SettingsVersionSchema, 'A page of versions.') },
    handler: (call) =>
      call.page(
        (...page) => listSettingsVersions(call.read, call.orgId, ...page),
        ({ version }) => [String(version)],
      ),
  });

  ownRoute('PUT /v1/settings', 'replaceOwnSettings', admin, {
    summary: 'Replace your settings',
    description:
      'Replaces all settings of your organization and creates a new version. `If-Match` is required, so that you do not overwrite a change that you have not seen. A repeated request therefore fails with 412. Records keep the version that decided them.',
    body: SettingsInputSchema,
    response: { 200: One(SettingsVersionSchema, 'The new settings.', { ...tagged, examples: [replaced] }) },
    config: { honours: ['X-Actor', 'If-Match'], refuses: ['precondition_failed'] },
    handler: async (call) => {
      const { actor, key_name } = changedBy(call.request);
      const by = actor ? `${actor} (${key_name})` : key_name;
      const check = requireCurrent(call.request);
      const saved = await call.write((tx) => replaceSettings(tx, call.orgId, call.body, by, check));
      return tag(call.reply, call.one(saved));
    },
  });
}

/** Refuses to replace settings that are no longer as the caller read them. */
function requireCurrent({ headers }: FastifyRequest): (current: SettingsVersion) => void {
  const tags = headers['if-match'];
  if (tags === undefined)
    throw new ApiError(
      'invalid_request',
      'The If-Match header is required. Get the settings first, and send the ETag of the response.',
      { details: [{ field: 'If-Match', code: 'required', message: 'is required' }] },
    );
  return (current) =>
    requireMatch(tags, etagOf(current), 'The settings have changed since you read them. Reload them');
}

function etagOf({ version }: Pick<SettingsVersion, 'version'>): string {
  return `"${version}"`;
}

function tag<Answer extends { data: SettingsVersion }>(reply: FastifyReply, answer: Answer): Answer {
  reply.header('ETag', etagOf(answer.data));
  return answer;
}
