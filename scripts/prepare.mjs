// Makes a fresh clone ready: installs from the lock file and builds, each only where something is missing or stale.
// Plain JavaScript on Node's own modules, because nothing else is there yet.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}dist/.built`;

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
  if (!isBuilt()) {
    rmSync(`${root}dist`, { recursive: true, force: true });
    // Only translates; that the types agree is for `npm run check` to say, and takes several times as long.
    step('Building …', process.execPath, [
      bin('typescript', 'tsc'),
      '-p',
      'tsconfig.build.json',
      '--noCheck',
    ]);
    writeFileSync(stamp, '');
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
  console.log(line);
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

function isBuilt() {
  if (!existsSync(stamp)) return false;
  const built = statSync(stamp).mtimeMs;
  const inputs = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json'].map(
    (name) => `${root}${name}`,
  );
  for (const entry of readdirSync(`${root}src`, { recursive: true, withFileTypes: true })) {
    inputs.push(`${entry.parentPath}/${entry.name}`);
  }
  return inputs.every((file) => statSync(file).mtimeMs <= built);
}

function bin(pkg, name) {
  const { bin } = JSON.parse(readFileSync(`${root}node_modules/${pkg}/package.json`, 'utf8'));
  return `${root}node_modules/${pkg}/${typeof bin === 'string' ? bin : bin[name]}`;
}
