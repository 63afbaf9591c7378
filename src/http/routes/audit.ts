import { AuditEntrySchema } from '../../contract/audit.ts';
import { List, PageQuerySchema } from '../../contract/envelope.ts';
import { listAudit } from '../../store/keys/audit.ts';
import type { Context } from '../context.ts';
import { operator, routeTable } from '../route-table.ts';
import type { Router } from '../router.ts';

export function auditRoutes(app: Router, ctx: Context): void {
  const route = routeTable(app, ctx, 'Operator');

  route('GET /admin/v1/audit', 'listAuditEntries', operator, {
    summary: 'List audit log entries',
    description:
      'Lists every request made with an operator key, newest first: who, what, when and from where.',
    querystring: PageQuerySchema,
    response: { 200: List(AuditEntrySchema, 'A page of requests.') },
    handler: (call) =>
      call.page(
        (...page) => listAudit(ctx.db.global, ...page),
        (entry) => [entry.request_id],
      ),
  });
}
