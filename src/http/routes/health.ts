import { Type } from 'typebox';
import { One } from '../../contract/envelope.ts';
import { unavailable } from '../../contract/error.ts';
import type { Context } from '../context.ts';
import { open, routeTable } from '../route-table.ts';
import type { Router } from '../router.ts';

const Status = One(
  Type.Object({ status: Type.Literal('ok', { description: 'Always ok.' }) }, { title: 'ServiceStatus' }),
  'Yes.',
);

export function healthRoutes(app: Router, ctx: Context): void {
  const route = routeTable(app, ctx, 'Service');

  route('GET /healthz', 'getHealth', open, {
    summary: 'Is the process alive?',
    description: 'Checks only that the process responds.',
    response: { 200: Status },
    handler: async (call) => call.one({ status: 'ok' as const }),
  });

  route('GET /readyz', 'getReadiness', open, {
    summary: 'Can the process answer requests?',
    description:
      'Returns 503 while the database is unavailable or read-only, and as soon as the process begins to shut down. The process checks the database every second.',
    response: { 200: Status },
    handler: async (call) => {
      if (!ctx.isReady()) throw unavailable('The service is not ready. Try again shortly.');
      return call.one({ status: 'ok' as const });
    },
  });
}
