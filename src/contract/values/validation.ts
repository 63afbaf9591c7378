import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { ErrorDetail } from '../error.ts';
import { isDate, parseTimestamp } from './time.ts';

const ajv = new Ajv({ allErrors: true, strict: false, useDefaults: true, verbose: true });
ajv.addFormat('date-time', (text: string) => parseTimestamp(text) !== undefined);
ajv.addFormat('date', isDate);

/** More than any of our schemas has. The validator would examine every member before it refuses the object. */
const maxMembers = 1_000;

/** Refuses an object, or a member of it, by its size alone. */
export function tooManyMembers(value: unknown, path = '', depth = 0): ErrorDetail[] {
  if (typeof value !== 'object' || value === null || depth > 4) return [];
  const members = Array.isArray(value) ? value : Object.values(value);
  if (members.length > maxMembers)
    return [{ field: path || 'body', code: 'too_long', message: `must have at most ${maxMembers} members` }];
  return Object.entries(value).flatMap(([name, member]) =>
    tooManyMembers(member, path === '' ? name : `${path}.${name}`, depth + 1),
  );
}

/** Deeper than any of our schemas. Without a limit, a body of nested brackets would exhaust the stack. */
const maxDepth = 50;

/** Assigning a member of this name sets the prototype of the copy, so it is refused here. */
export const proto = '__proto__';

/** PostgreSQL's text cannot store NUL or half of a surrogate pair; either would cause a database error. */
export function unstorable(value: unknown, path = '', depth = 0): ErrorDetail[] {
  if (typeof value === 'string') {
    const good = value.isWellFormed() && !value.includes('\0');
    return good
      ? []
      : [{ field: path, code: 'invalid_format', message: 'must be Unicode text without NUL characters' }];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (depth === maxDepth)
    return [{ field: path.split('.', 1)[0] ?? '', code: 'invalid_value', message: 'is nested too deeply' }];
  return Object.entries(value).flatMap(([name, member]) => {
    const field = path === '' ? name : `${path}.${name}`;
    return name === proto
      ? [{ field, code: 'unknown', message: 'is not a known field' }]
      : unstorable(member, field, depth + 1);
  });
}

/** Compiles on first use: compiling all schemas at start-up makes it a quarter slower. */
export function compileSchema(schema: object): ValidateFunction {
  let compiled: ValidateFunction | undefined;
  const validate = ((data: unknown) => {
    compiled ??= ajv.compile(schema);
    const isValid = compiled(data);
    validate.errors = compiled.errors ?? null;
    return isValid;
  }) as ValidateFunction;
  return validate;
}

/** One entry per invalid field, in words that help the caller fix it. */
export function fieldErrors(errors: readonly Partial<ErrorObject>[], part: string): ErrorDetail[] {
  const details = new Map<string, ErrorDetail>();
  for (const error of errors) {
    const detail = fieldError(error, part);
    if (detail && !details.has(detail.field)) details.set(detail.field, detail);
  }
  return [...details.values()].slice(0, 100);
}

function fieldError(
  { keyword, params = {}, instancePath = '', parentSchema }: Partial<ErrorObject>,
  part: string,
): ErrorDetail | undefined {
  const path = instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const inside = (name: string) => (path === '' ? name : `${path}.${name}`).slice(0, 200);
  const detail = (
    code: ErrorDetail['code'],
    message: string,
    field = path || (part === 'querystring' ? 'query' : part),
  ) => ({ field, code, message });
  const limited = limits[keyword as string];
  if (limited) {
    // The pattern of a code says more than the number of its letters.
    const { pattern = '' } = (parentSchema ?? {}) as { pattern?: string };
    const isCode = keyword === 'maxLength' && /^\^\[A-Z]\{\d}\$$/.test(pattern);
    return detail(
      limited.code,
      (isCode && patternMessages[pattern]) || limited.message(Number(params.limit)),
    );
  }
  switch (keyword) {
    case 'required':
      return detail('required', 'is required', inside(String(params.missingProperty)));
    case 'additionalProperties': {
      const known = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {});
      const kind = part === 'querystring' ? 'parameter' : 'field';
      return detail(
        'unknown',
        `is not a known ${kind}; expected one of: ${known.join(', ') || 'none'}`,
        inside(String(params.additionalProperty)),
      );
    }
    case 'minProperties': {
      const { properties = {}, required = [] } = (parentSchema ?? {}) as {
        properties?: object;
        required?: string[];
      };
      const optional = Object.keys(properties).filter((name) => !required.includes(name));
      return detail('required', `needs at least one of: ${optional.join(', ')}`);
    }
    case 'type':
      return detail('invalid_type', `must be ${phrase(params.type)}`);
    case 'enum':
      return detail('invalid_value', `must be one of: ${(params.allowedValues as unknown[]).join(', ')}`);
    case 'uniqueItems':
      return detail('duplicate', 'must not name the same item twice');
    case 'format':
      return detail(
        'invalid_format',
        params.format === 'date-time'
          ? 'must be an ISO 8601 timestamp, e.g. 2026-01-31T12:00:00Z'
          : 'must be a date, e.g. 2026-01-31',
      );
    case 'pattern':
      return detail(
        'invalid_format',
        patternMessages[String(params.pattern)] ?? 'does not have the required format',
      );
    default:
      return detail('invalid', 'is not valid');
  }
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The keywords with a limit. */
const limits: Record<string, { code: ErrorDetail['code']; message: (limit: number) => string }> = {
  minimum: { code: 'out_of_range', message: (limit) => `must be at least ${limit}` },
  maximum: { code: 'out_of_range', message: (limit) => `must be at most ${limit}` },
  exclusiveMinimum: { code: 'out_of_range', message: (limit) => `must be more than ${limit}` },
  exclusiveMaximum: { code: 'out_of_range', message: (limit) => `must be less than ${limit}` },
  minLength: { code: 'too_short', message: (limit) => `must have at least ${plural(limit, 'character')}` },
  maxLength: { code: 'too_long', message: (limit) => `must have at most ${limit} characters` },
  minItems: { code: 'too_short', message: (limit) => `must have at least ${plural(limit, 'item')}` },
  maxItems: { code: 'too_long', message: (limit) => `must have at most ${limit} items` },
};

/** A pattern is for programs; what a person should do about it is said in words. */
const patternMessages: Record<string, string> = {
  '^https://[^/?#]': 'must be an https:// URL with a host name',
  '\\S': 'must not be blank',
  '^[^\\s@]+@[^\\s@]+$': 'must be an email address, e.g. name@example.com',
  '^[A-Z]{2}$': 'must be an ISO 3166-1 country code of two capital letters, e.g. DE',
  '^[A-Z]{3}$': 'must be an ISO 4217 currency code of three capital letters, e.g. EUR',
  '^[\\x20-\\x7e]+$': 'must be printable ASCII characters',
  '^[\\x21-\\x7e]+$': 'must be printable ASCII characters without spaces',
};

function phrase(type: unknown): string {
  const words: Record<string, string> = {
    string: 'a string',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    object: 'an object',
    array: 'an array',
    null: 'null',
  };
  return String(type)
    .split(',')
    .map((name) => words[name] ?? name)
    .join(' or ');
}
