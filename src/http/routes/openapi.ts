import swagger from '@fastify/swagger';
import reference from '@scalar/fastify-api-reference';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { documentOptions } from '../openapi/document.ts';
import type { Router } from '../router.ts';
import { referencePolicy } from '../security-headers.ts';

const DocumentSchema = Type.Unknown({
  description: 'The document.',
  examples: [{ openapi: '3.1.0', info: { title: 'Partner Signals', version: '1.0.0' }, paths: {} }],
});

/** Registered before the routes: the document is made of what is registered after it. */
export async function openapi(app: Router): Promise<void> {
  await app.register(swagger, documentOptions());
  let text: string | undefined;
  app.get('/v1/openapi.json', {
    config: { access: { plane: 'open' } },
    schema: {
      operationId: 'getOpenApiDocument',
      tags: ['Service'],
      summary: 'Get this document',
      description: 'Returns the OpenAPI 3.1 document of this API.',
      response: { 200: DocumentSchema },
    },
    handler: async (_request, reply) => {
      // Anybody may ask, as often as they like: it is written once.
      text ??= JSON.stringify(app.swagger());
      return reply.type('application/json; charset=utf-8').serializer(String).send(text);
    },
  });

  // The page is a plug-in's: its routes say nothing about access and policy, so it is said for them.
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/docs')) return;
    route.config = { ...route.config, access: { plane: 'open' } };
    if (route.url === '/docs/') route.onSend = finishPage;
    // Its own handler takes the address of the document for the document, and fails.
    if (route.url.startsWith('/docs/openapi.'))
      route.handler = (_request, reply) => reply.redirect('/v1/openapi.json');
  });
  await app.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/v1/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      authentication: { preferredSecurityScheme: 'apiKey' },
      // Neither of these works without another host.
      agent: { disabled: true },
      showDeveloperTools: 'never',
    },
  });
}

/** The page starts itself with an inline script: this very text may run, and no other. */
async function finishPage(_request: FastifyRequest, reply: FastifyReply, page: unknown): Promise<string> {
  const html = String(page);
  const [, script = ''] = /<script type="text\/javascript">(.*?)<\/script>/s.exec(html) ?? [];
  reply.header('Content-Security-Policy', referencePolicy(script));
  // Without an icon of its own a browser asks for /favicon.ico, and logs that there is none.
  return html.replace('<head>', '<head><link rel="icon" href="data:," />');
}
