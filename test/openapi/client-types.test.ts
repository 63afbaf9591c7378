import { readFile, writeFile } from 'node:fs/promises';
import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { expect, test } from 'vitest';

const file = new URL('../../src/client/schema.gen.ts', import.meta.url);
const document = JSON.parse(await readFile(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));

type Parameter = {
  $ref?: string;
  in?: string;
  name: string;
  description: string;
  required?: boolean;
  schema: object;
};
type Operation = { operationId: string; parameters?: Parameter[] };

test('the types of the client are those of the document', async () => {
  const made = await clientTypes();
  if (process.env.UPDATE) await writeFile(file, made);
  expect(await readFile(file, 'utf8'), 'renew them: UPDATE=1 npm test test/openapi/client-types').toBe(made);
});

async function clientTypes(): Promise<string> {
  const schemas = { ...document.components.schemas, ...queries() };
  const { openapi, info } = document;
  const whole: OpenAPI3 = { openapi, info, paths: {}, components: { schemas } };
  const types = await openapiTypes(whole, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    exportType: true,
    defaultNonNullable: false,
  });
  const text = astToString(types).replaceAll(/^export type (paths|webhooks|operations|\$defs) = .*;\n/gm, '');
  return `// Made of docs/openapi.json. Renew it with: UPDATE=1 npm test test/openapi/client-types\n${text}`;
}

/** The query parameters of each operation that has some, as a schema with the operation's name. */
function queries(): Record<string, object> {
  const operations = Object.values<Record<string, Operation>>(document.paths).flatMap((item) =>
    Object.values(item),
  );
  return Object.fromEntries(
    operations.flatMap(({ operationId, parameters = [] }) => {
      const inQuery = parameters.map(resolve).filter((parameter) => parameter.in === 'query');
      const properties = Object.fromEntries(
        inQuery.map(({ name, description, schema }) => [name, { description, ...schema }]),
      );
      const name = `${operationId[0]?.toUpperCase()}${operationId.slice(1)}Query`;
      return inQuery.length === 0 ? [] : [[name, { type: 'object', properties }]];
    }),
  );
}

function resolve(parameter: Parameter): Parameter {
  return parameter.$ref ? document.components.parameters[parameter.$ref.split('/').at(-1) ?? ''] : parameter;
}
