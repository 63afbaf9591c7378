import { describe, expect, test } from 'vitest';
import { signedBody, standardHeaders } from '../../src/contract/sign.ts';
import { exampleSecret } from '../../src/contract/webhook.ts';
import {
  document,
  exampleOf,
  type Operation,
  type Parameter,
  type Response,
  resolve,
  schemaErrors,
} from '../api-document.ts';

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);
const webhooks = Object.entries(document.webhooks).map(([name, { post }]) => ({ name, operation: post }));

describe('every operation', () => {
  test('has a name of its own', () => {
    const names = [...operations, ...webhooks].map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
  });

  test.each([...operations, ...webhooks])(
    '$name says what it is for, which key it takes and what each parameter means',
    ({ operation }) => {
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
      expect(operation.description).toMatch(/\.$/);
      expect(operation.tags).toHaveLength(1);
      expect(operation.security).toBeInstanceOf(Array);
      for (const { description } of parametersOf(operation)) expect(description).toMatch(/\.$/);
      for (const response of responsesOf(operation)) expect(response.description).toMatch(/\.$/);
    },
  );

  test.each([...operations, ...webhooks])(
    '$name has an example of each body, and all of them are valid',
    ({ operation }) => {
      const { requestBody = { content: {} } } = operation;
      for (const { content = {} } of responsesOf(operation)) expectExamples(content, 'answer');
      expectExamples(requestBody.content, 'request');
      for (const { schema, example } of parametersOf(operation))
        if (example !== undefined) expect(schemaErrors(schema, example, 'request')).toEqual([]);
    },
  );
});

test('every component that is an object has a valid example of its own', () => {
  for (const [name, schema] of Object.entries(document.components.schemas ?? {})) {
    const examples = [schema.examples ?? []].flat();
    if (schema.properties) expect(examples, name).toHaveLength(1);
    for (const example of examples) expect(schemaErrors(schema, example, 'request'), name).toEqual([]);
  }
});

test('every cursor in an example has the form of a real one', () => {
  const cursors = new Set(JSON.stringify(document).match(/\bcur_[\w-]+/g));
  expect(cursors.size).toBeGreaterThan(0);
  for (const cursor of cursors) {
    const text = cursor.slice('cur_'.length);
    const bytes = Buffer.from(text, 'base64url');
    expect(bytes.toString('base64url')).toBe(text);
    // The length of the key id, the key id, 32 bytes of MAC, and the position.
    expect(JSON.parse(bytes.subarray(1 + (bytes[0] ?? 0) + 32).toString())).toBeInstanceOf(Array);
  }
});

test('no parameter has an example that only the service can make: whoever tries it as it stands is refused', () => {
  const names = ['cursor', 'If-Match'];
  const parameters = operations
    .flatMap(({ operation }) => parametersOf(operation))
    .filter(({ name }) => names.includes(name));
  expect(new Set(parameters.map(({ name }) => name))).toEqual(new Set(names));
  for (const { example, schema } of parameters)
    expect([example, schema.examples]).toEqual([undefined, undefined]);
});

test.each(['RegisterWebhook', 'ChangeWebhook'])('%s says that an address begins with https://', (name) => {
  const schema = document.components.schemas?.[name] ?? {};
  const body = { url: 'http://receiver.example', events: ['signal.created'] };
  expect(schemaErrors(schema, body, 'request').join()).toContain('body/url must match pattern');
});

test('every company in an example is invented', () => {
  const hosts = JSON.stringify(document).match(/\b[\w-]+\.(com|net|org|io|dev|cloud)\b/g) ?? [];
  // The page of a public specification, and nobody's data.
  expect(hosts.filter((host) => host !== 'standardwebhooks.com')).toEqual([]);
});

test.each(webhooks)('the example of $name is signed as a real one is', ({ operation }) => {
  const { schema = {} } = operation.requestBody?.content['application/json'] ?? {};
  const payload = exampleOf(schema) as { signature: string };
  const { signature: _, ...unsigned } = payload;
  const body = signedBody(JSON.stringify(unsigned), exampleSecret);
  expect(JSON.stringify(payload)).toBe(body);
  const sent = Object.fromEntries(
    parametersOf(operation).map(({ name, example }) => [name, String(example)]),
  );
  const { 'webhook-id': id = '', 'webhook-timestamp': seconds } = sent;
  const now = new Date(Number(seconds) * 1000);
  expect(sent).toMatchObject(standardHeaders({ id, body, secrets: [exampleSecret], now }));
});

function parametersOf({ parameters = [] }: Operation): Parameter[] {
  return parameters.map((parameter) => resolve<Parameter>(parameter));
}

function responsesOf({ responses }: Operation): Response[] {
  return Object.values(responses).map((response) => resolve<Response>(response));
}

function expectExamples(content: NonNullable<Response['content']>, reading: 'answer' | 'request'): void {
  for (const { schema, example, examples } of Object.values(content)) {
    expect(example, 'the schema has the example').toBeUndefined();
    const values = examples ? Object.values(examples).map(({ value }) => value) : [exampleOf(schema)];
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) {
      expect(value).toBeDefined();
      expect(schemaErrors(schema, value, reading)).toEqual([]);
    }
  }
}
