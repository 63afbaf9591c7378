import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import swagger from '@fastify/swagger';
import { Type } from 'typebox';
import { documentOptions } from '../openapi/document.ts';
import type { Router } from '../router.ts';
import { referencePolicy } from '../server/security-headers.ts';
import { version } from '../server/version.ts';

const DocumentSchema = Type.Unknown({
  description: 'The document.',
  examples: [{ openapi: '3.1.0', info: { title: 'Partner Signals', version }, paths: {} }],
});

/** Registered before the routes: the document contains the routes that are registered after it. */
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
      // The document is public and requested often, so it is serialized once.
      text ??= JSON.stringify(app.swagger());
      return reply.type('application/json; charset=utf-8').serializer(String).send(text);
    },
  });

  const page = { config: { access: { plane: 'open' } }, schema: { hide: true } } as const;
  app.get('/docs', page, (_request, reply) => reply.redirect('/docs/', 301));
  app.get('/docs/', page, (_request, reply) =>
    reply
      .header('Content-Security-Policy', referencePolicy(referenceStart))
      .type('text/html; charset=utf-8')
      .send(referencePage),
  );
  app.get('/docs/reference.js', page, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(createReadStream(referenceScript)),
  );
  // Common names for the document.
  for (const name of ['openapi.json', 'openapi.yaml'])
    app.get(`/docs/${name}`, page, (_request, reply) => reply.redirect('/v1/openapi.json'));
}

/** Only this file of the package is used: its plug-in takes longer to load than the rest of the service. */
const require = createRequire(import.meta.url);
const referenceScript = new URL(
  'js/standalone.js',
  pathToFileURL(require.resolve('@scalar/fastify-api-reference')),
);

const referenceStart = `Scalar.createApiReference('#app', ${JSON.stringify({
  url: '/v1/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  authentication: { preferredSecurityScheme: 'apiKey' },
  // Both need another host.
  agent: { disabled: true },
  showDeveloperTools: 'never',
})})`;

/** Without an icon, browsers request /favicon.ico and log that it is missing. */
const referencePage = `<!doctype html>
<html lang="en">
  <head>
    <title>Partner Signals API</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="app"></div>
    <script src="reference.js"></script>
    <script>${referenceStart}</script>
  </body>
</html>
`;
