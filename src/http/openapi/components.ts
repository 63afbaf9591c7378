import { isDeepStrictEqual } from 'node:util';
import { headers } from './headers.ts';
import type { Document, Operation, Parameter, Response, Schema } from './parts.ts';
import { rewrite } from './rewrite.ts';

/** Every schema with a title becomes a component of that name, and so does every parameter that is always the same. */
export function moveToComponents(document: Document): Document {
  const responses = moveResponses(document);
  const parameters = moveParameters(document);
  const schemas: Record<string, Schema> = {};
  const components = { ...document.components, responses, parameters, headers };
  const moved = rewrite({ ...document, components }, (node) => {
    const { title, ...schema } = node as Schema;
    if (title === undefined || !('type' in schema)) return node;
    schemas[title] = fuller(title, schema, schemas[title]);
    return refTo('schemas', title);
  }) as Document;
  return { ...moved, components: { ...moved.components, schemas: sorted(schemas) } };
}

function moveResponses(document: Document): Record<string, Response> {
  const components: Record<string, Response> = {};
  const containers = [
    ...operationsOf(document).map(({ responses }) => responses),
    document['x-other-responses'],
  ];
  for (const container of containers as Record<string, Response & { title?: string }>[]) {
    for (const [status, { title, ...response }] of Object.entries(container)) {
      if (title === undefined) continue;
      components[title] = response;
      container[status] = refTo('responses', title) as never;
    }
  }
  return sorted(components);
}

function moveParameters(document: Document): Record<string, Parameter> {
  const components: Record<string, Parameter> = {};
  const operations = operationsOf(document);
  const all = operations.flatMap(({ parameters = [] }) => parameters);
  const isShared = (parameter: Parameter) => {
    const namesakes = all.filter(({ name }) => name === parameter.name);
    return namesakes.length > 1 && namesakes.every((other) => isDeepStrictEqual(other, parameter));
  };
  for (const operation of operations) {
    operation.parameters = operation.parameters?.map((parameter) => {
      if (!isShared(parameter)) return parameter;
      components[parameter.name] = parameter;
      return refTo('parameters', parameter.name) as never;
    });
  }
  return sorted(components);
}

/** A parameter moves the description and example out of its schema, so two copies of a schema can differ in these. */
function fuller(title: string, schema: Schema, known: Schema = schema): Schema {
  const bare = ({ description, examples, ...rest }: Schema) => rest;
  if (!isDeepStrictEqual(bare(schema), bare(known))) throw new Error(`two schemas are called ${title}`);
  return Object.keys(known).length < Object.keys(schema).length ? schema : known;
}

function operationsOf({ paths, webhooks = {} }: Document): Operation[] {
  return [...Object.values(paths), ...Object.values(webhooks)].flatMap((path) => Object.values(path));
}

function refTo(kind: string, name: string): { $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
