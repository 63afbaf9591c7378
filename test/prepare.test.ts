import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

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

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s while npm installs ends everything that it started, and the next command installs and builds',
  async (signal) => {
    await rm(join(clone, 'node_modules/.package-lock.json'));
    // The group of npm has a child of its own, as the install script of a package is.
    const endless = `import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      process.on('SIGINT', () => {}).on('SIGTERM', () => {});
      writeFileSync('pids', [process.pid, child.pid].join(' '));`;
    await write('npm.mjs', endless);
    const started = spawn(process.execPath, ['-e', script], { cwd: clone, env: npmIs('npm.mjs') });
    const pids = await vi.waitFor(async () => {
      const text = await readFile(join(clone, 'pids'), 'utf8');
      expect(text).toMatch(/^\d+ \d+$/);
      return text.split(' ').map(Number);
    }, 60_000);
    started.kill(signal);
    const [, endedBy] = await once(started, 'exit');
    expect(endedBy).toBe(signal);
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), 60_000);
    expect(existsSync(join(clone, '.preparing'))).toBe(false);

    await write('npm.mjs', tool('npm', 'node_modules/.package-lock.json', '{"packages":{}}'));
    const text = await prepare(npmIs('npm.mjs'));
    expect(text).not.toContain('Waiting');
    expect((await readFile(join(clone, 'log'), 'utf8')).split('\n')[0]).toBe('begin npm');
  },
);

test('a step that outlived its killed command is waited for', async () => {
  const step = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await write('.preparing', `999999999 ${step.pid}`);
  const waiting = spawn(process.execPath, ['-e', script], { cwd: clone });
  let told = '';
  waiting.stderr.on('data', (chunk) => {
    told += chunk;
  });
  const wanted = `Waiting for another command (process ${step.pid})`;
  await vi.waitFor(() => expect(told).toContain(wanted), 60_000);
  expect(existsSync(join(clone, 'log'))).toBe(false);
  step.kill('SIGKILL');
  expect(await once(waiting, 'exit')).toEqual([0, null]);
});

test.skipIf(!existsSync('/usr/bin/script'))('a terminal shows each step with its time', async () => {
  await rm(join(clone, 'node_modules/.package-lock.json'));
  await write('package-lock.json', '{"packages":{"":{},"node_modules/vite":{"version":"1"}}}');
  const installed = '{"packages":{"node_modules/vite":{"version":"1"}}}';
  await write('npm.mjs', tool('npm', 'node_modules/.package-lock.json', installed));
  await write('prepare.mjs', script);
  const args = ['-qec', `'${process.execPath}' prepare.mjs`, '/dev/null'];
  const { stdout } = await promisify(execFile)('script', args, { cwd: clone, env: npmIs('npm.mjs') });
  const shown = stdout.split('\n').map((line) => line.split('\x1b[2K').at(-1)?.trim());
  expect(shown.filter(Boolean)).toEqual([
    expect.stringMatching(/^Installing dependencies … 1 of 1 packages, \d+\.\d s$/),
    expect.stringMatching(/^Generating the types of the client … \d+\.\d s$/),
    expect.stringMatching(/^Building the service … \d+\.\d s$/),
    expect.stringMatching(/^Building the console … \d+\.\d s$/),
  ]);
});

const script = `import('./scripts/prepare.mjs').then(({ prepare }) => prepare())`;

async function prepare(env = process.env): Promise<string> {
  return (await promisify(execFile)(process.execPath, ['-e', script], { cwd: clone, env })).stderr;
}

function npmIs(file: string): NodeJS.ProcessEnv {
  return { ...process.env, npm_execpath: join(clone, file) };
}

function isRunning(pid: number): boolean {
  try {
    // A process that has ended but was not waited for still has its number.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function write(path: string, text: string): Promise<void> {
  const file = join(clone, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
}

function tool(name: string, made: string, text = ''): string {
  return `
    import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
    import { dirname } from 'node:path';
    appendFileSync('log', 'begin ${name}\\n');
    await new Promise((resolve) => setTimeout(resolve, 300));
    mkdirSync(dirname('${made}'), { recursive: true });
    writeFileSync('${made}', '${text}');
    appendFileSync('log', 'end ${name}\\n');`;
}
