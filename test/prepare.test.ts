import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

let clone: string;

/** A clone whose tools only write down when they begin and end. */
beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'ps-clone-'));
  for (const dir of ['scripts', 'src/client', 'console', 'docs', 'dist']) await write(`${dir}/.keep`, '');
  await cp('scripts/prepare.mjs', join(clone, 'scripts/prepare.mjs'));
  await write('package-lock.json', '{"packages":{}}');
  await write('node_modules/.package-lock.json', '{"packages":{}}');
  for (const file of ['docs/openapi.json', 'src/vocabulary.ts', 'tsconfig.json', 'tsconfig.build.json'])
    await write(file, '');
  await write('scripts/client-types.mjs', tool('types', 'src/client/schema.gen.ts'));
  for (const [name, made] of [
    ['typescript', 'dist/main.js'],
    ['vite', 'dist/console/index.html'],
  ] as const) {
    const bin = { [name === 'vite' ? 'vite' : 'tsc']: 'tool.mjs' };
    await write(`node_modules/${name}/package.json`, JSON.stringify({ bin }));
    await write(`node_modules/${name}/tool.mjs`, tool(name, made));
  }
});

afterEach(() => rm(clone, { recursive: true, force: true }));

test('commands that start at once in a new clone build it once, one step after the other', async () => {
  await Promise.all([prepare(), prepare(), prepare()]);
  const each = ['types', 'typescript', 'vite'].flatMap((name) => [`begin ${name}`, `end ${name}`]);
  expect((await readFile(join(clone, 'log'), 'utf8')).trim().split('\n')).toEqual(each);
  expect(await prepare()).toBe('');
});

test('a command that was killed while it built does not keep the next one waiting', async () => {
  const killed = execFile(process.execPath, ['-e', '']);
  await new Promise((resolve) => killed.once('exit', resolve));
  await write('.preparing', String(killed.pid));
  expect(await prepare()).toContain('Building');
});

async function prepare(): Promise<string> {
  const script = `import('./scripts/prepare.mjs').then(({ prepare }) => prepare())`;
  return (await promisify(execFile)(process.execPath, ['-e', script], { cwd: clone })).stderr;
}

async function write(path: string, text: string): Promise<void> {
  const file = join(clone, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
}

function tool(name: string, made: string): string {
  return `
    import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
    import { dirname } from 'node:path';
    appendFileSync('log', 'begin ${name}\\n');
    await new Promise((resolve) => setTimeout(resolve, 300));
    mkdirSync(dirname('${made}'), { recursive: true });
    writeFileSync('${made}', '');
    appendFileSync('log', 'end ${name}\\n');`;
}
