import swagger from '@fastify/swagger';
import reference from '@scalar/fastify-api-reference';
import type { Router } from '../router.ts';

/** Registered before the routes: the document is made of what is registered after it. */
export async function openapi(app: Router): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Partner Signals',
        version: '1.0.0',
        description: 'Which partner can help on which deal, who is credited when it closes, and why.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          key: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key, or an operator key for /admin/v1.',
          },
        },
      },
      security: [{ key: [] }],
      tags: ['Signals', 'Partners', 'Attribution', 'Webhooks', 'Ingest', 'Operator', 'Service'].map(
        (name) => ({ name }),
      ),
    },
  });
  app.get('/v1/openapi.json', {
    config: { access: { plane: 'open' } },
    schema: { hide: true },
    handler: async () => app.swagger(),
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
    },
  });
}
