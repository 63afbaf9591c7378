import { Type } from 'typebox';
import { List, PageQuery, strict, Timestamp } from '../../contract/envelope.ts';
import { listAudit } from '../../store/audit.ts';
import { listEnvelope } from '../answer.ts';
import type { Context } from '../context.ts';
import { errorResponses, type Router } from '../router.ts';

const AuditEntrySchema = Type.Object({
  request_id: Type.String(),
  operator: Type.String(),
  method: Type.String(),
  path: Type.String(),
  address: Type.String(),
  at: Timestamp,
  status: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'null: the request has not ended.',
  }),
});

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
