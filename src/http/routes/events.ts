import { PageQuerySchema } from '../../contract/envelope.ts';
import { EventListSchema } from '../../contract/event.ts';
import { decodeCursor, encodeCursor, type Position } from '../../store/db/cursor.ts';
import { beginning, type EventRow, findPosition, listEvents } from '../../store/delivery/events.ts';
import { pageLimits } from '../../vocabulary.ts';
import { envelope } from '../answers/answer.ts';
import { exportList, wantsCsv } from '../answers/export.ts';
import type { Context } from '../context.ts';
import { read, routeTable } from '../route-table.ts';
import type { Router } from '../router.ts';

export function eventRoutes(app: Router, ctx: Context): void {
  const route = routeTable(app, ctx, 'Webhooks');

  route('GET /v1/events', 'listEvents', read, {
    summary: 'List events',
    description:
      'Lists the events of the last 30 days in commit order, oldest first. Use it to catch up after your receiver was down, or instead of webhooks. Store `resume_cursor` and continue from it at any time.',
    querystring: PageQuerySchema,
    response: { 200: EventListSchema },
    handler: async (call) => {
      const { request, reply, orgId } = call;
      const { limit = pageLimits.default, cursor } = call.query;
      if (wantsCsv(request)) {
        const list = (limit: number, after: Position | null) =>
          listEvents(call.read, orgId, limit, after ?? beginning);
        const items = async (...page: Parameters<typeof list>) =>
          (await list(...page)).map((row) => ({ ...toItem(row), row }));
        return exportList(ctx, request, reply, items, ({ row }) => findPosition(call.read, orgId, row));
      }
      const scope = { orgId, route: '/v1/events', filters: {} };
      const after = cursor === undefined ? beginning : decodeCursor(ctx.keyring, scope, cursor);
      const rows = await listEvents(call.read, orgId, limit + 1, after);
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const position = last ? await findPosition(call.read, orgId, last) : after;
      const resume_cursor = encodeCursor(ctx.keyring, scope, position);
      const more = rows.length > limit;
      const data = page.map(toItem);
      return {
        ...envelope(request, data),
        has_more: more,
        ...(more ? { next_cursor: resume_cursor } : {}),
        resume_cursor,
      };
    },
  });
}

function toItem({ id, kind, data, created_at }: EventRow) {
  return { id, event: kind, data, timestamp: created_at };
}
