import { Type } from 'typebox';
import { One } from '../../contract/envelope.ts';
import { ApiError } from '../../contract/error.ts';
import { envelope } from '../answer.ts';
import type { Context } from '../context.ts';
import type { Router } from '../router.ts';

const Status = One(
  Type.Object({ status: Type.Literal('ok', { description: 'Always ok.' }) }, { title: 'ServiceStatus' }),
  'Yes.',
);

export function healthRoutes(app: Router, ctx: Context): void {
  app.get('/healthz', {
    config: { access: { plane: 'open' } },
    schema: {
      operationId: 'getHealth',
      tags: ['Service'],
      summary: 'Is the process alive?',
      description: 'Checks only that the process responds.',
      response: { 200: Status },
    },
    handler: async (request) => envelope(request, { status: 'ok' as const }),
  });

  app.get('/readyz', {
    config: { access: { plane: 'open' } },
    schema: {
      operationId: 'getReadiness',
      tags: ['Service'],
      summary: 'Can the process answer requests?',
      description:
        'The process checks the database every second. 503 while the database is unavailable or read-only, and as soon as the process begins to shut down.',
      response: { 200: Status },
    },
    handler: async (request) => {
      if (!ctx.isReady())
        throw new ApiError('unavailable', 'The service is not ready. Try again shortly.', {
          headers: { 'Retry-After': '1' },
        });
      return envelope(request, { status: 'ok' as const });
    },
  });
}
