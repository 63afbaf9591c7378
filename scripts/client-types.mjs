// Generates the client's types from the OpenAPI document. prepare.mjs runs it if they are missing or stale.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTypes, { astToString } from 'openapi-typescript';

const { openapi, info, components, paths } = JSON.parse(
  readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'),
);

const whole = { openapi, info, paths: {}, components: { schemas: { ...components.schemas, ...queries() } } };
const types = await openapiTypes(whole, {
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  exportType: true,
  defaultNonNullable: false,
});
const text = astToString(types).replaceAll(/^export type (paths|webhooks|operations|\$defs) = .*;\n/gm, '');
writeFileSync(
  new URL('../src/client/schema.gen.ts', import.meta.url),
  `// Generated from docs/openapi.json by scripts/client-types.mjs.\n${text}`,
);

/** The query parameters of each operation that has any, as a schema with the operation's name. */
function queries() {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return Object.fromEntries(
    operations.flatMap(({ operationId, parameters = [] }) => {
      const inQuery = parameters.map(resolve).filter((parameter) => parameter.in === 'query');
      const properties = Object.fromEntries(
        inQuery.map(({ name, description, schema }) => [name, { description, ...schema }]),
      );
      const name = `${operationId[0].toUpperCase()}${operationId.slice(1)}Query`;
      return inQuery.length === 0 ? [] : [[name, { type: 'object', properties }]];
    }),
  );
}

function resolve(parameter) {
  return parameter.$ref ? components.parameters[parameter.$ref.split('/').at(-1)] : parameter;
}
