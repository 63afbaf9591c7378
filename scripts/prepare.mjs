// Makes a fresh clone ready: installs from the lock file and builds, each only where something is missing or stale.
// Plain JavaScript on Node's own modules, because nothing else is there yet.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist/`;
const serviceStamp = `${dist}.built`;
const consoleStamp = `${dist}.console-built`;

export function prepare() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Partner Signals needs Node.js 20.19 or later; this is ${process.versions.node}.`);
    process.exit(1);
  }
  if (!isInstalled()) {
    step('Installing dependencies from the lock file (first run, or it changed) …', npm, [
      'ci',
      '--loglevel=error',
    ]);
  }
  const clientTypes = `${root}src/client/schema.gen.ts`;
  if (isStale(clientTypes, ['docs/openapi.json', 'scripts/client-types.mjs'])) {
    step('Generating the types of the client …', process.execPath, [`${root}scripts/client-types.mjs`]);
  }
  if (isStale(serviceStamp, ['src', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'])) {
    clear((name) => name !== 'console' && name !== '.console-built');
    // Only translates; that the types agree is for `npm run check` to say, and takes several times as long.
    step('Building …', process.execPath, [
      bin('typescript', 'tsc'),
      '-p',
      'tsconfig.build.json',
      '--noCheck',
    ]);
    writeFileSync(serviceStamp, '');
  }
  if (
    !existsSync(`${dist}console`) ||
    isStale(consoleStamp, ['console', 'src/client', 'src/vocabulary.ts', 'package-lock.json'])
  ) {
    clear((name) => name === 'console' || name === '.console-built');
    step('Building the console …', process.execPath, [
      bin('vite', 'vite'),
      'build',
      'console',
      '--logLevel=warn',
    ]);
    writeFileSync(consoleStamp, '');
  }
}

/** Runs a command that came with the dependencies, in this terminal; ends this process if it fails. */
export function run(name, pkg, args) {
  const { status, signal } = spawnSync(process.execPath, [bin(pkg, name), ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  if (signal) process.kill(process.pid, signal);
  if (status !== 0) process.exit(status ?? 1);
}

const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];

function step(line, command, args) {
  console.error(line);
  const [program, ...before] = [command].flat();
  const { status } = spawnSync(program, [...before, ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) {
    console.error('That failed; the lines above say why.');
    process.exit(1);
  }
}

/** Compares what the lock file wants with what npm says it has put there; optional packages may be another platform's. */
function isInstalled() {
  const hidden = `${root}node_modules/.package-lock.json`;
  if (!existsSync(hidden)) return false;
  const wanted = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')).packages;
  const present = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === '' || (present[path] ? present[path].version === version : optional),
  );
}

/** Whether an input, a file or a folder with all that is in it, is younger than the end of the last build. */
function isStale(stamp, inputs) {
  if (!existsSync(stamp)) return true;
  const built = statSync(stamp).mtimeMs;
  const files = inputs.flatMap((input) => {
    const path = `${root}${input}`;
    if (!statSync(path).isDirectory()) return [path];
    const entries = readdirSync(path, { recursive: true, withFileTypes: true });
    return [path, ...entries.map((entry) => `${entry.parentPath}/${entry.name}`)];
  });
  return files.some((file) => statSync(file).mtimeMs > built);
}

/** What was built from a file that is gone must not be there to be found. */
function clear(matches) {
  if (!existsSync(dist)) return;
  for (const name of readdirSync(dist).filter(matches))
    rmSync(`${dist}${name}`, { recursive: true, force: true });
}

function bin(pkg, name) {
  const { bin } = JSON.parse(readFileSync(`${root}node_modules/${pkg}/package.json`, 'utf8'));
  return `${root}node_modules/${pkg}/${typeof bin === 'string' ? bin : bin[name]}`;
}
