import { Type } from 'typebox';
import { One } from '../../contract/envelope.ts';
import { notFound } from '../../contract/error.ts';
import { reference } from '../../contract/field.ts';
import { isId } from '../../contract/ids.ts';
import { SettingsInputSchema, SettingsVersionSchema } from '../../contract/settings.ts';
import { replaceSettings } from '../../domain/organizations.ts';
import { transaction } from '../../store/connection.ts';
import { findSettings } from '../../store/settings.ts';
import { envelope } from '../answer.ts';
import type { Context } from '../context.ts';
import { operatorOf, type Router } from '../router.ts';

const config = { access: { plane: 'operator' } } as const;
const tags = ['Operator'];
const params = Type.Object({ org_id: reference('organization', 'The organization.') });

export function settingsRoutes(app: Router, ctx: Context): void {
  app.get('/admin/v1/organizations/:org_id/settings', {
    config,
    schema: {
      operationId: 'getSettings',
      tags,
      summary: 'Get the settings',
      description:
        'Returns the current settings of the rules and the attribution policy, with their version.',
      params,
      response: { 200: One(SettingsVersionSchema, 'The current settings.') },
    },
    handler: async (request) => {
      const { org_id } = request.params;
      const settings = isId('org', org_id) && (await findSettings(ctx.pool, org_id));
      if (!settings) throw notFound('organization');
      return envelope(request, settings);
    },
  });

  app.put('/admin/v1/organizations/:org_id/settings', {
    config,
    schema: {
      operationId: 'replaceSettings',
      tags,
      summary: 'Replace the settings',
      description:
        'Replaces all settings and creates a new version. Records keep the version that decided them.',
      params,
      body: SettingsInputSchema,
      response: {
        200: One(SettingsVersionSchema, 'The new settings.', {
          examples: [{ data: { version: 2, created_at: '2026-03-02T09:30:00.000Z' } }],
        }),
      },
    },
    handler: async (request) => {
      const { org_id } = request.params;
      if (!isId('org', org_id)) throw notFound('organization');
      const settings = await transaction(ctx.pool, (tx) =>
        replaceSettings(tx, org_id, request.body, operatorOf(request)),
      );
      if (!settings) throw notFound('organization');
      return envelope(request, settings);
    },
  });
}
