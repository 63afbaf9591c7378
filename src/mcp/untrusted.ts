import { type IdKind, prefixes } from '../contract/id-prefixes.ts';

export type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  pattern?: string;
  format?: string;
  description?: string;
  required?: string[];
  [keyword: string]: unknown;
};

/** The evidence behind a response; their IDs are listed next to each response. */
const evidenceKinds: IdKind[] = ['signal', 'activity', 'attribution', 'evidence', 'dispute'];
const evidenceId = new RegExp(`^(${evidenceKinds.map((kind) => prefixes[kind]).join('|')})_`);

/**
 * Whether a field contains text that somebody wrote, or that quotes somebody. Every string without an enumeration, a pattern
 * or a format counts as such text, so a new field is marked unless its schema says otherwise.
 */
function isText({ type, enum: values, pattern, format }: Schema): boolean {
  return (
    [type].flat().includes('string') && values === undefined && pattern === undefined && format === undefined
  );
}

/** Longer enumerations are left out of the schema: assistants read it with every list of tools. */
const longList = 6;

/**
 * The schema of what `mark` returns. It has no descriptions: assistants read it with every list of tools, and the field
 * names are clear enough.
 */
export function markedSchema(of: object): Schema {
  const { type, enum: values, properties, required, items, format, ...schema } = of as Schema;
  if (isText(of as Schema))
    return {
      type: [type].flat().includes('null') ? ['object', 'null'] : 'object',
      properties: { untrusted_text: { type: 'string' } },
      required: ['untrusted_text'],
    };
  const fields = properties && Object.entries(properties).map(([name, field]) => [name, markedSchema(field)]);
  return {
    ...(type !== undefined && { type }),
    ...(values && (values.length > longList ? { type: type ?? 'string' } : { enum: values })),
    ...(format !== undefined && { format }),
    ...(schema.description !== undefined && items && { description: schema.description }),
    ...(items && { items: markedSchema(items) }),
    ...(fields && { properties: Object.fromEntries(fields) }),
    ...(required && { required }),
  };
}

/** Keeps only the fields in the schema, and wraps every untrusted text in an object that says so. */
export function mark(of: object, value: unknown, maxLength: number): unknown {
  const schema = of as Schema;
  if (value === undefined || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (isText(schema)) return { untrusted_text: cleanText(String(value), maxLength) };
  if (schema.items && Array.isArray(value))
    return value.map((item) => mark(schema.items as Schema, item, maxLength));
  if (!schema.properties) return value;
  return Object.fromEntries(
    Object.entries(schema.properties)
      .map(([name, field]) => [name, mark(field, (value as Record<string, unknown>)[name], maxLength)])
      .filter(([, field]) => field !== undefined),
  );
}

/** Collects identifiers by schema, so an identifier that a text merely mentions does not count as evidence. */
export function evidenceIds(of: object, value: unknown): string[] {
  const schema = of as Schema;
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return schema.pattern !== undefined && evidenceId.test(value) ? [value] : [];
  const found = Array.isArray(value)
    ? value.flatMap((item) => evidenceIds(schema.items ?? {}, item))
    : Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
        evidenceIds(field, (value as Record<string, unknown>)[name]),
      );
  return [...new Set(found)];
}

/** Invisible characters: control characters, direction controls, and characters that can carry hidden sentences. */
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this takes out
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufff9-\ufffb\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu;

export function cleanText(text: string, maxLength: number): string {
  const characters = [...text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(invisible, '\ufffd')];
  return characters.length <= maxLength
    ? characters.join('')
    : `${characters.slice(0, maxLength - 1).join('')}…`;
}

/** For use in a sentence: one line, in quotation marks. */
export function quoted(text: string): string {
  return `“${cleanText(text, 300).replaceAll('\n', ' ')}”`;
}
