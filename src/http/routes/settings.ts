import { One } from '../../contract/envelope.ts';
import { SettingsInputSchema, SettingsVersionSchema } from '../../contract/settings.ts';
import { replaceSettings } from '../../domain/organizations.ts';
import { transaction } from '../../store/connection.ts';
import { findSettings } from '../../store/settings.ts';
import type { Context } from '../context.ts';
import { operator, routeTable } from '../route-table.ts';
import { operatorOf, type Router } from '../router.ts';

export function settingsRoutes(app: Router, ctx: Context): void {
  const route = routeTable(app, ctx, 'Operator');

  route('GET /admin/v1/organizations/:org_id/settings', 'getSettings', operator, {
    summary: 'Get the settings',
    description: 'Returns the current settings of the rules and the attribution policy, with their version.',
    response: { 200: One(SettingsVersionSchema, 'The current settings.') },
    handler: async (call) => call.one(await findSettings(ctx.pool, call.ids.org_id)),
  });

  route('PUT /admin/v1/organizations/:org_id/settings', 'replaceSettings', operator, {
    summary: 'Replace the settings',
    description:
      'Replaces all settings and creates a new version. Records keep the version that decided them.',
    body: SettingsInputSchema,
    response: {
      200: One(SettingsVersionSchema, 'The new settings.', {
        examples: [{ data: { version: 2, created_at: '2026-03-02T09:30:00.000Z' } }],
      }),
    },
    handler: async (call) => {
      const { org_id } = call.ids;
      const by = operatorOf(call.request);
      return call.one(await transaction(ctx.pool, (tx) => replaceSettings(tx, org_id, call.body, by)));
    },
  });
}
