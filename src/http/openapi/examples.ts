import type { Content, Document, Operation, Schema } from './parts.ts';
import { rewrite } from './rewrite.ts';

/**
 * Puts an example on every component, composed from those of its fields. Operations have none: their bodies consist of
 * components, from which readers compose the example again.
 */
export function addExamples(document: Document): Document {
  const made = rewrite(document, (node) => {
    const schema = node as Schema;
    return schema.title && schema.properties ? { ...schema, examples: [exampleOf(schema)] } : schema;
  }) as Document;
  const paths = [...Object.values(made.paths), ...Object.values(made.webhooks ?? {})];
  const operations = paths.flatMap((path) => Object.values(path));
  for (const content of operations.flatMap(contentsOf)) moveToSchemas(content);
  return made;
}

/** The example of an object only has to contain what differs from the examples of its fields. */
export function exampleOf(schema: Schema): unknown {
  const given = schema.examples?.[0];
  if (schema.properties && given !== null) {
    const { properties, required = [] } = schema;
    const shown = Object.entries(properties).filter(
      ([name, field]) => required.includes(name) || 'examples' in field || 'enum' in field,
    );
    return overlay(Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field)])), given);
  }
  if (given !== undefined) return given;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [alternative] = schema.anyOf ?? schema.oneOf ?? [];
  if (alternative) return exampleOf(alternative);
  if (schema.items) return (schema.items.anyOf ?? schema.items.oneOf ?? [schema.items]).map(exampleOf);
  throw new Error(`a schema has no example: ${JSON.stringify(schema)}`);
}

function contentsOf({ requestBody, responses }: Operation): Content[] {
  return [requestBody?.content ?? {}, ...Object.values(responses).map(({ content = {} }) => content)];
}

/** The framework moves the example of a schema up to the body. This moves it back. */
function moveToSchemas(content: Content): void {
  for (const [type, media] of Object.entries(content)) {
    if (media.examples) continue;
    const { example, schema } = media;
    delete media.example;
    if (type === 'application/x-ndjson') content[type] = { schema: asLines(exampleOf(schema) as object[]) };
    else if (example !== undefined) schema.examples = [exampleOf({ ...schema, examples: [example] })];
  }
}

/** OpenAPI 3.1 cannot describe the lines of a text. */
function asLines(rows: object[]): Schema {
  return {
    type: 'string',
    description: 'A row as JSON on each line, at most 64 KiB long.',
    examples: [rows.map((row) => `${JSON.stringify(row)}\n`).join('')],
  };
}

function overlay(made: unknown, given: unknown): unknown {
  if (!isPlain(made) || !isPlain(given)) return given === undefined ? made : given;
  const names = Object.keys({ ...made, ...given });
  return Object.fromEntries(names.map((name) => [name, overlay(made[name], given[name])]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
