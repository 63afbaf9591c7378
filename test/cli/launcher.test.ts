import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { spawnNode } from './cli.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ps-bin-'));
  await cp(join(root, 'bin'), join(dir, 'bin'), { recursive: true });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const launch = (args: string[]) =>
  spawnNode([join(dir, 'bin/partner-signals.mjs'), ...args], dir, { PATH: process.env.PATH ?? '' }).ended;

describe('the launcher', () => {
  test('runs in an installed package, which has no sources and nothing to build', async () => {
    await symlink(join(root, 'dist'), join(dir, 'dist'));
    expect(await launch(['--version'])).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });

  test('builds a clone first, with its progress on standard error, and is quiet once there is nothing to do', async () => {
    const files = ['scripts', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
    for (const name of files) await cp(join(root, name), join(dir, name), { recursive: true });
    await symlink(join(root, 'node_modules'), join(dir, 'node_modules'));
    await mkdir(join(dir, 'src/cli'), { recursive: true });
    await mkdir(join(dir, 'src/client'));
    await cp(join(root, 'src/vocabulary.ts'), join(dir, 'src/vocabulary.ts'));
    await cp(join(root, 'docs/openapi.json'), join(dir, 'docs/openapi.json'));
    await mkdir(join(dir, 'console'));
    await writeFile(
      join(dir, 'src/cli/main.ts'),
      `console.log('built', ...process.argv.slice(2) as string[]);`,
    );
    await writeFile(join(dir, 'console/index.html'), '<!doctype html><title>Console</title>');
    await writeFile(
      join(dir, 'console/vite.config.mjs'),
      `export default { build: { outDir: '../dist/console' } };`,
    );
    const first = await launch(['one', '--two']);
    expect(first, first.stderr).toMatchObject({ code: 0, stdout: 'built one --two\n' });
    expect(first.stderr).toContain('Building');
    expect(await launch([])).toEqual({ code: 0, stdout: 'built\n', stderr: '' });
  });
});

test('npm start says that its port is taken before it installs or builds anything', async () => {
  await cp(join(root, 'scripts'), join(dir, 'scripts'), { recursive: true });
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  const env = { PATH: process.env.PATH ?? '', PORT: String(port) };
  const ended = await spawnNode([join(dir, 'scripts/start.mjs')], dir, env).ended;
  server.close();
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `Port ${port} is already in use. Stop the program that uses it, or choose another port: PORT=${port + 1} npm start\n`,
  });
  expect((await readdir(dir)).sort()).toEqual(['bin', 'scripts']);
});
