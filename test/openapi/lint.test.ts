import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import spectral from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';

const text = await readFile(new URL('../../docs/openapi.json', import.meta.url), 'utf8');

test('the document is valid by the schema of OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('the document takes at most 7 KB for each operation', () => {
  const document = JSON.parse(text) as { paths: Record<string, object> };
  const operations = Object.values(document.paths).flatMap((item) => Object.keys(item)).length;
  expect(Buffer.byteLength(JSON.stringify(document)) / operations).toBeLessThan(7000);
});

test('Spectral finds nothing with all of its recommended rules', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[oas as never, 'recommended']], rules: {} });
  const findings = await linter.run(text);
  expect(findings.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`)).toEqual([]);
});
