import type { IncomingMessage } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type FastifyBaseLogger, fastify, LogController } from 'fastify';
import { newId, type RequestId } from '../contract/ids.ts';
import { settleAudit } from '../store/keys/audit.ts';
import { bodyLimits } from '../vocabulary.ts';
import { admission } from './admission/admit.ts';
import { refuseOtherMethods } from './admission/allowed-methods.ts';
import { parseJson, settleAbsentBody } from './admission/json-body.ts';
import { compileValidator, refuseParameters, refuseUnstorable } from './admission/validation.ts';
import { sendError } from './answers/errors.ts';
import type { Context } from './context.ts';
import type { Router } from './router.ts';
import { accountRoutes } from './routes/accounts.ts';
import { attributionRoutes } from './routes/attribution.ts';
import { auditRoutes } from './routes/audit.ts';
import { consoleRoutes } from './routes/console.ts';
import { consoleSessionRoutes } from './routes/console-session.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { ingestRoutes } from './routes/ingest.ts';
import { keyRoutes } from './routes/keys.ts';
import { matchRoutes } from './routes/matches.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { openapi } from './routes/openapi.ts';
import { organizationRoutes } from './routes/organizations.ts';
import { partnerRoutes } from './routes/partners.ts';
import { settingsRoutes } from './routes/settings.ts';
import { signalRoutes } from './routes/signals.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { logRequest } from './server/log.ts';
import { securityHeaders } from './server/security-headers.ts';

/** The resources of the API. */
export const resources = [
  ...[signalRoutes, partnerRoutes, accountRoutes, matchRoutes, attributionRoutes, webhookRoutes, eventRoutes],
  ...[ingestRoutes, organizationRoutes, keyRoutes, settingsRoutes, auditRoutes],
];

/** Registers the hooks in the order in which they run, then the routes. */
export async function createApp(ctx: Context): Promise<Router> {
  const app: Router = fastify({
    loggerInstance: ctx.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => newId('req'),
    bodyLimit: bodyLimits.bytes,
    trustProxy: ctx.trustProxy.length > 0 ? ctx.trustProxy : false,
    rewriteUrl,
    // As long as HTTP allows: for longer parameters the router would respond itself, without running the hooks.
    routerOptions: { maxParamLength: 16 * 1024 },
    return503OnClosing: false,
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.decorateRequest('caller', null);
  app.decorateRequest('operator', null);
  app.decorateRequest('reservation', null);
  app.decorateRequest('cacheAs', null);
  app.setValidatorCompiler(compileValidator);
  app.setErrorHandler(sendError);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJson);
  const refuseOthers = refuseOtherMethods(app);
  app.addHook('onRoute', refuseParameters);

  app.addHook('onRequest', securityHeaders(ctx));
  app.addHook('onRequest', admission(ctx));
  app.addHook('onRequest', refuseOthers);
  app.addHook('onRequest', async (request) => {
    const isRead = ['GET', 'HEAD'].includes(request.method) || request.url.startsWith('/console/');
    if (!isRead) ctx.checkWritable();
  });
  app.addHook('preValidation', settleAbsentBody);
  app.addHook('preValidation', refuseUnstorable);
  app.addHook('onResponse', logRequest);
  app.addHook('onResponse', async (request, reply) => ctx.metrics.request(request, reply));
  app.addHook('onResponse', async (request, reply) => {
    if (request.operator !== null)
      await settleAudit(ctx.db.global, request.id as RequestId, reply.statusCode);
  });

  if (ctx.role !== 'worker') await openapi(app);
  healthRoutes(app, ctx);
  metricsRoutes(app, ctx);
  if (ctx.role !== 'worker') {
    for (const routes of resources) routes(app, ctx);
    mcpRoutes(app, ctx);
    await consoleRoutes(app);
    consoleSessionRoutes(app, ctx);
  }
  await app.ready();
  return app;
}

/** A path that cannot be decoded is treated like every unknown path, with headers and limits. */
function rewriteUrl(request: IncomingMessage): string {
  const url = request.url ?? '/';
  try {
    if (url.includes('%')) decodeURIComponent(url.split('?', 1)[0] ?? '');
    return url.startsWith('/') ? url : '/unknown';
  } catch {
    return '/unknown';
  }
}
