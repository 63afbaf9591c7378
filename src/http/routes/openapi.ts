import swagger from '@fastify/swagger';
import reference from '@scalar/fastify-api-reference';
import { Type } from 'typebox';
import { documentOptions } from '../openapi/document.ts';
import type { Router } from '../router.ts';

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
      description: 'The description of this interface in OpenAPI 3.1.',
      response: { 200: DocumentSchema },
    },
    handler: async (_request, reply) => {
      // Anybody may ask, as often as they like: it is written once.
      text ??= JSON.stringify(app.swagger());
      return reply.type('application/json; charset=utf-8').serializer(String).send(text);
    },
  });

  // The page is a plug-in's: its routes say nothing about access, so it is said for them.
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/docs')) route.config = { ...route.config, access: { plane: 'open' } };
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
