import { Type } from 'typebox';
import { AuditEntrySchema } from '../../contract/audit.ts';
import { List, PageQuery, strict } from '../../contract/envelope.ts';
import { listAudit } from '../../store/audit.ts';
import { listEnvelope } from '../answer.ts';
import type { Context } from '../context.ts';
import type { Router } from '../router.ts';

export function auditRoutes(app: Router, ctx: Context): void {
  app.get('/admin/v1/audit', {
    config: { access: { plane: 'operator' } },
    schema: {
      operationId: 'listAuditEntries',
      tags: ['Operator'],
      summary: 'List audit log entries',
      description:
        'Lists every request made with an operator key, newest first: who, what, when and from where.',
      querystring: Type.Object(PageQuery, strict),
      response: { 200: List(AuditEntrySchema, 'A page of requests.') },
    },
    handler: (request) =>
      listEnvelope(
        ctx,
        request,
        (limit, after) => listAudit(ctx.pool, limit, after),
        (entry) => [entry.request_id],
      ),
  });
}
