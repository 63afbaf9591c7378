// Prepares a fresh clone: installs from the lock file and builds, each only if something is missing or stale. Plain
// JavaScript with Node's own modules, because nothing else is installed yet.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist/`;
const serviceStamp = `${dist}.built`;
const consoleStamp = `${dist}.console-built`;
const lock = `${root}.preparing`;

export function prepare() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Partner Signals needs Node.js 20.19 or later; this is ${process.versions.node}.`);
    process.exit(1);
  }
  if (!steps.some(({ isDue }) => isDue())) return;
  waitForOthers();
  process.on('exit', unlock); // a failed step ends the process
  // Another command may have done it meanwhile.
  for (const { isDue, run } of steps) if (isDue()) run();
  process.off('exit', unlock);
  unlock();
}

const clientTypes = `${root}src/client/schema.gen.ts`;
const steps = [
  {
    isDue: () => !isInstalled(),
    run: () =>
      step('Installing dependencies from the lock file (first run, or it changed) …', npm, [
        'ci',
        '--loglevel=error',
      ]),
  },
  {
    isDue: () => isStale(clientTypes, ['docs/openapi.json', 'scripts/client-types.mjs']),
    run: () =>
      step('Generating the types of the client …', process.execPath, [`${root}scripts/client-types.mjs`]),
  },
  {
    isDue: () => isStale(serviceStamp, ['src', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']),
    run() {
      clear((name) => name !== 'console' && name !== '.console-built');
      // Only transpiles. `npm run check` checks the types, which takes several times as long.
      const args = ['-p', 'tsconfig.build.json', '--noCheck'];
      step('Building …', process.execPath, [bin('typescript', 'tsc'), ...args]);
      writeFileSync(serviceStamp, '');
    },
  },
  {
    isDue: () =>
      !existsSync(`${dist}console`) ||
      isStale(consoleStamp, ['console', 'src/client', 'src/vocabulary.ts', 'package-lock.json']),
    run() {
      clear((name) => name === 'console' || name === '.console-built');
      const args = ['build', 'console', '--logLevel=warn'];
      step('Building the console …', process.execPath, [bin('vite', 'vite'), ...args]);
      writeFileSync(consoleStamp, '');
    },
  },
];

/** Two commands that install or build in the same clone would break each other, so only one runs at a time. */
function waitForOthers() {
  for (let waited = 0; !tryToLock(); waited++) {
    if (waited === 0) console.error('Waiting for another command that is installing or building here …');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
  }
}

function tryToLock() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
  } catch (error) {
    // The owner of the lock has died. (EPERM would mean that it is alive but belongs to another user.)
    if (error.code === 'ESRCH') unlock();
  }
  return false;
}

function unlock() {
  rmSync(lock, { force: true });
}

/** Runs a command of a dependency in this terminal, and exits if it fails. */
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

/** Compares the lock file with npm's record of what it installed. Optional packages may be for another platform. */
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

/** Whether an input (a file, or a folder with its contents) is newer than the last build. */
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

/** Removes output whose source file no longer exists. */
function clear(matches) {
  if (!existsSync(dist)) return;
  for (const name of readdirSync(dist).filter(matches))
    rmSync(`${dist}${name}`, { recursive: true, force: true });
}

function bin(pkg, name) {
  const { bin } = JSON.parse(readFileSync(`${root}node_modules/${pkg}/package.json`, 'utf8'));
  return `${root}node_modules/${pkg}/${typeof bin === 'string' ? bin : bin[name]}`;
}
