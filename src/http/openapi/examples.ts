import type { Content, Document, Operation, Schema } from './parts.ts';
import { rewrite } from './rewrite.ts';

/** Puts an example together for every request, answer and component, from those of the fields that they are made of. */
export function addExamples(document: Document): Document {
  const made = rewrite(document, (node) => {
    const schema = node as Schema;
    return schema.title && schema.properties ? { ...schema, examples: [exampleOf(schema)] } : schema;
  }) as Document;
  const paths = [...Object.values(made.paths), ...Object.values(made.webhooks ?? {})];
  for (const operation of paths.flatMap((path) => Object.values(path))) {
    for (const content of contentsOf(operation)) addTo(content);
  }
  return made;
}

/** Of an object, what is given need only say where it differs from the examples of its fields. */
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

function addTo(content: Content): void {
  for (const [type, media] of Object.entries(content)) {
    if (media.examples) continue;
    // What the schema gave has been moved up to here.
    if (media.example !== undefined) media.schema.examples = [media.example];
    media.example = exampleOf(media.schema);
    if (media.schema.title) media.schema.examples = [media.example];
    else delete media.schema.examples;
    if (type === 'application/x-ndjson') content[type] = asLines(media.example as object[]);
  }
}

/** No keyword of OpenAPI 3.1 says what the lines of a text are. */
function asLines(rows: object[]) {
  return {
    schema: { type: 'string', description: 'A row as JSON on each line, at most 64 KiB long.' },
    example: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
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
