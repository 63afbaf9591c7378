import { Type } from 'typebox';
import { One } from '../../contract/envelope.ts';
import { ApiError } from '../../contract/error.ts';
import { envelope } from '../answer.ts';
import type { Context } from '../context.ts';
import type { Router } from '../router.ts';

const Status = One(
  Type.Object({ status: Type.Literal('ok', { description: 'It is.' }) }, { title: 'ServiceStatus' }),
  'Yes.',
);

export function healthRoutes(app: Router, ctx: Context): void {
  app.get('/healthz', {
    config: { access: { plane: 'open' } },
    schema: {
      operationId: 'getHealth',
      tags: ['Service'],
      summary: 'Is the process alive?',
      description: 'Asks nothing but the process itself.',
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
        'Asks the database; 503 while it cannot be reached, and while the process is shutting down.',
      response: { 200: Status },
    },
    handler: async (request) => {
      if (ctx.closing())
        throw new ApiError('unavailable', 'The service is shutting down.', {
          headers: { 'Retry-After': '1' },
        });
      await ctx.pool.query('select 1');
      return envelope(request, { status: 'ok' as const });
    },
  });
}
