import { Type } from 'typebox';
import type { Access } from '../admission/admit.ts';
import type { Context } from '../context.ts';
import { routeTable } from '../route-table.ts';
import type { Router } from '../router.ts';

/** Scraped every few seconds and without data of any organization: one audit entry each would bury the others. */
const unaudited: Access = { plane: 'operator', audited: false };
const example = `# HELP partner_signals_http_requests_total Requests answered.
# TYPE partner_signals_http_requests_total counter
partner_signals_http_requests_total{method="GET",route="/v1/signals",status="200"} 42
`;

export function metricsRoutes(app: Router, ctx: Context): void {
  const route = routeTable(app, ctx, 'Service');

  route('GET /metrics', 'getMetrics', unaudited, {
    summary: 'Read metrics',
    description:
      'Returns the counters of this process since its start, and the delivery queue of the whole installation, in the Prometheus text format.',
    response: {
      200: {
        description: 'The metrics.',
        content: { 'text/plain': { schema: Type.String({ examples: [example] }) } },
      },
    },
    handler: async ({ reply }) => reply.type(ctx.metrics.contentType).send(await ctx.metrics.text(ctx.db)),
  });
}
