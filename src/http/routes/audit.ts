import { Type } from 'typebox';
import { AuditEntrySchema } from '../../contract/audit.ts';
import { List, PageQuery, strict } from '../../contract/envelope.ts';
import { listAudit } from '../../store/audit.ts';
import { listEnvelope } from '../answer.ts';
import type { Context } from '../context.ts';
import { errorResponses, type Router } from '../router.ts';

export function auditRoutes(app: Router, ctx: Context): void {
  app.get('/admin/v1/audit', {
    config: { access: { plane: 'operator' } },
    schema: {
      operationId: 'listAudit',
      tags: ['Operator'],
      summary: 'List what operators did',
      description: 'Every request made with an operator key: who, what, when and from where, newest first.',
      querystring: Type.Object(PageQuery, strict),
      response: { 200: List(AuditEntrySchema), ...errorResponses(400, 401, 429, 500, 503) },
    },
    handler: (request) =>
      listEnvelope(
        ctx,
        request,
        'operator',
        request.query,
        (limit, after) => listAudit(ctx.pool, limit, after),
        (entry) => [entry.request_id],
      ),
  });
}
