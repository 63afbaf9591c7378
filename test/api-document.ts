import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isDate, parseTimestamp } from '../src/contract/values/time.ts';

type Json = Record<string, unknown>;
type Media = { schema: Json; example?: unknown; examples?: Record<string, { value: unknown }> };
export type Parameter = { name: string; in: string; description: string; schema: Json; example?: unknown };
export type Response = {
  description: string;
  headers?: Record<string, Json>;
  content?: Record<string, Media>;
};
export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Json[];
  parameters?: Json[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Json>;
};

/** The committed document; another test checks that the service serves the same. */
export const document = JSON.parse(
  readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'),
) as {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: Record<string, Record<string, Json>>;
};

/** Resolves a reference; returns other nodes unchanged. */
export function resolve<T = Json>(node: Json): T {
  const [, , kind, name] = String(node.$ref ?? '').split('/');
  return (kind && name ? document.components[kind]?.[name] : node) as T;
}

export function example(schema: string): unknown {
  return [document.components.schemas?.[schema]?.examples].flat()[0];
}

/** An example of a body, built from the examples of its parts, as readers of the document do. */
export function exampleOf(schema: Json): unknown {
  const { examples, properties, items, oneOf, anyOf = oneOf, ...rest } = resolve<Composed>(schema);
  if (examples) return examples[0];
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field)]));
  if (items) {
    const { oneOf, anyOf = oneOf } = resolve<Composed>(items);
    return (anyOf ?? [items]).map(exampleOf);
  }
  return anyOf?.[0] ? exampleOf(anyOf[0]) : rest.const;
}

type Composed = {
  examples?: unknown[];
  properties?: Record<string, Json>;
  items?: Json;
  anyOf?: Json[];
  oneOf?: Json[];
  const?: unknown;
};

/**
 * Validates a value. A response may only contain described fields and one time format; a request may use any ISO 8601
 * format.
 */
export function schemaErrors(schema: Json, value: unknown, reading: 'answer' | 'request'): string[] {
  const validate = validators[reading](schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `body${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

const validators = { answer: compiler(true), request: compiler(false) };

/** Compiles a schema on first use: few tests need many. */
function compiler(isAnswer: boolean): (schema: Json) => ValidateFunction {
  // Another test checks that the schemas themselves are valid, which takes longer than everything else here.
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false });
  ajv.addFormat('date', isDate);
  ajv.addFormat('date-time', (text: string) =>
    isAnswer ? /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) : parseTimestamp(text) !== undefined,
  );
  const compiled = new Map<Json, ValidateFunction>();
  return (schema) => {
    if (compiled.size === 0) ajv.addSchema({ $id: 'components', ...prepare(document.components, isAnswer) });
    const validate = compiled.get(schema) ?? ajv.compile(prepare(schema, isAnswer));
    compiled.set(schema, validate);
    return validate;
  };
}

/** With references that work outside of the document and, for a response, without undescribed fields. */
function prepare<T>(node: T, isClosed: boolean): T {
  if (Array.isArray(node)) return node.map((member) => prepare(member, isClosed)) as T;
  if (typeof node !== 'object' || node === null) return node;
  const made: Json = Object.fromEntries(
    Object.entries(node).map(([name, member]) => [name, prepare(member, isClosed)]),
  );
  if (typeof made.$ref === 'string') made.$ref = made.$ref.replace('#/components/', 'components#/');
  const isObject = 'properties' in made && [made.type].flat().includes('object');
  return (isClosed && isObject ? { additionalProperties: false, ...made } : made) as T;
}
