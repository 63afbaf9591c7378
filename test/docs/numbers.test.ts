import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import {
  anonymousPerMinute,
  bodyLimits,
  detailCodes,
  errorStatus,
  exportRows,
  pageLimits,
  planLimits,
  retryScheduleInWords,
  retrySteps,
  secretOverlap,
} from '../../src/vocabulary.ts';
import { schemaErrors } from '../api-document.ts';
import { pages } from './pages.ts';

/** Each page as a single line, so that line breaks do not matter. */
const guides = new Map(
  await Promise.all(
    pages.map(async (name): Promise<[string, string]> => {
      const text = await readFile(name, 'utf8');
      return [name, text.replace(/\s+/g, ' ')];
    }),
  ),
);
const guide = (name: string) => guides.get(name) ?? '';

/** Every match in all guides. A pattern without a match would prove nothing. */
function everywhere(pattern: RegExp): string[][] {
  const found = [...guides.values()].flatMap((text) =>
    [...text.matchAll(pattern)].map((match) => match.slice(1)),
  );
  expect(found.length, String(pattern)).toBeGreaterThan(0);
  return found;
}

const { standard, enterprise } = planLimits;
const number = (value: number) => value.toLocaleString('en-US');
const mib = (bytes: number) => `${bytes / 1_048_576} MiB`;

describe('the guides state the limits of the vocabulary', () => {
  test('rate limits', () => {
    for (const [plan, limits] of Object.entries(planLimits)) {
      const row = `| \`${plan}\` | ${number(limits.requestsPerMinute)} | ${number(limits.requestsPerDay)} |`;
      expect(guide('docs/reference/limits-and-errors.md')).toContain(row);
    }
    for (const [perMinute] of everywhere(/count against the client's address, ([\d,]+) per minute/g))
      expect(perMinute).toBe(number(anonymousPerMinute));
    const rowsPerMinute = everywhere(
      /carries ([\d,]+) rows, so the `standard` plan allows ([\d,]+) rows per minute/g,
    );
    for (const [batch = '', minute] of rowsPerMinute)
      expect(minute).toBe(number(Number(batch.replace(',', '')) * standard.requestsPerMinute));
  });

  test('webhooks per plan', () => {
    for (const counts of everywhere(/(\d+) webhooks on the `standard` plan and (\d+) on `enterprise`/g))
      expect(counts).toEqual([number(standard.webhooks), number(enterprise.webhooks)]);
  });

  test('rows of a file', () => {
    for (const [rows] of everywhere(/A file has at most ([\d,]+) rows/g))
      expect(rows).toBe(number(exportRows));
  });

  test('pages', () => {
    for (const sizes of everywhere(/return (\d+) entries per page\. Set `limit` to get 1 to (\d+)/g))
      expect(sizes).toEqual([String(pageLimits.default), String(pageLimits.most)]);
  });

  test('bodies', () => {
    for (const sizes of everywhere(
      /A request body can have up to (\d+ MiB)\. An ingest batch can have up to ([\d,]+) rows and (\d+ MiB)/g,
    ))
      expect(sizes).toEqual([mib(bodyLimits.bytes), number(bodyLimits.rows), mib(bodyLimits.rowBytes)]);
    for (const sizes of everywhere(/array can have up to ([\d,]+) rows \((\d+ MiB)\)/g))
      expect(sizes).toEqual([number(bodyLimits.rows), mib(bodyLimits.rowBytes)]);
  });

  test('the retry schedule', () => {
    for (const [schedule] of everywhere(/retries after (.+? [smh](?:in)?), each ±20 %/g))
      expect(schedule).toBe(retryScheduleInWords());
    const hours = Math.round(retrySteps.reduce((sum, step) => sum + step, 0) / 3600);
    for (const [attempts, total] of everywhere(/(\w+) attempts over about (\d+) hours/g)) {
      expect(attempts).toBe(inWords[retrySteps.length + 1]);
      expect(total).toBe(String(hours));
    }
  });

  test('every error code with its status, and every code of an invalid field', async () => {
    const page = await readFile('docs/reference/limits-and-errors.md', 'utf8');
    const errors = [...page.matchAll(/^\| (\d{3}) \| (`[^|]+`) \|/gm)].flatMap(([, status, codes = '']) =>
      codes.split(', ').map((code) => [code.replaceAll('`', ''), Number(status)]),
    );
    expect(Object.fromEntries(errors)).toEqual(errorStatus);
    const [, details = ''] = page.split('### Codes in details');
    const rows = [...details.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
    expect(rows).toEqual(detailCodes);
  });

  test('the overlap of a rotation', () => {
    for (const [seconds] of everywhere(/overlap \(([\d,]+) seconds, one day, by default\)/g))
      expect(seconds).toBe(number(secretOverlap.default));
  });
});

test('every variable that the service reads is in the table of the configuration, and no other', async () => {
  const source = await readFile('src/config.ts', 'utf8');
  const page = await readFile('docs/operate/configuration.md', 'utf8');
  const [, rows = ''] = /## Variables\n([\s\S]*?)\n## /.exec(page) ?? [];
  const documented = [...rows.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  const read = new Set([...source.matchAll(/'([A-Z]+(?:_[A-Z]+)*)'/g)].map(([, name]) => name));
  expect(documented.toSorted()).toEqual([...read].toSorted());
});

test('the signal in the README is a signal of the API', async () => {
  const readme = await readFile('README.md', 'utf8');
  const signal = JSON.parse(/```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '');
  expect(schemaErrors({ $ref: '#/components/schemas/Signal' }, signal, 'answer')).toEqual([]);
});

const inWords: Record<number, string> = { 9: 'nine', 10: 'ten', 11: 'eleven', 12: 'twelve' };
