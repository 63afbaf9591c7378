import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

/** What the snippets of the guide expect from the surrounding program. */
const around = `
declare const process: { env: Record<string, string | undefined> };
declare const console: { log(...values: unknown[]): void };
declare const id: string, recordId: string, rawBody: string, secret: string;
declare const request: { headers: Headers };
declare const rows: AsyncIterable<{ crm_id: string; name: string }>;
`;

test('the TypeScript snippets of the client guide compile', async () => {
  const guide = await readFile('docs/guides/client.md', 'utf8');
  const snippets = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  expect(snippets.length).toBeGreaterThan(4);
  const folder = await mkdtemp(join(tmpdir(), 'ps-snippets-'));
  await writeFile(join(folder, 'guide.ts'), `${around}${snippets.join('\n')}`);
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: resolve('tsconfig.json'),
      compilerOptions: {
        module: 'preserve',
        types: [],
        paths: { '@partner-signals/client': [resolve('src/client/index.ts')] },
      },
      include: [],
      files: ['guide.ts'],
    }),
  );
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((error) => error);
  expect(stdout).toBe('');
  await rm(folder, { recursive: true });
});
