// Prepares a fresh clone: installs from the lock file and builds, each only if something is missing or stale. Plain
// JavaScript with Node's own modules, because nothing else is installed yet.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist/`;
const serviceStamp = `${dist}.built`;
const consoleStamp = `${dist}.console-built`;
const lock = `${root}.preparing`;

export async function prepare() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Partner Signals needs Node.js 20.19 or later; this is ${process.versions.node}.`);
    process.exit(1);
  }
  if (!steps.some(({ isDue }) => isDue())) return;
  await waitForOthers();
  process.on('exit', unlock); // a failed step ends the process
  // Another command may have done it meanwhile.
  for (const { isDue, run } of steps) if (isDue()) await run();
  process.off('exit', unlock);
  unlock();
}

const clientTypes = `${root}src/client/schema.gen.ts`;
const steps = [
  {
    isDue: () => !isInstalled(),
    run: () => step('Installing dependencies', [...npm, 'ci', '--loglevel=error'], countPackages()),
  },
  {
    isDue: () => isStale(clientTypes, ['docs/openapi.json', 'scripts/client-types.mjs']),
    run: () =>
      step('Generating the types of the client', [process.execPath, `${root}scripts/client-types.mjs`]),
  },
  {
    isDue: () => isStale(serviceStamp, ['src', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']),
    async run() {
      clear((name) => name !== 'console' && name !== '.console-built');
      // Only transpiles. `npm run check` checks the types, which takes several times as long.
      const args = ['-p', 'tsconfig.build.json', '--noCheck'];
      await step('Building the service', [process.execPath, bin('typescript', 'tsc'), ...args]);
      writeFileSync(serviceStamp, '');
    },
  },
  {
    isDue: () =>
      !existsSync(`${dist}console`) ||
      isStale(consoleStamp, ['console', 'src/client', 'src/vocabulary.ts', 'package-lock.json']),
    async run() {
      clear((name) => name === 'console' || name === '.console-built');
      const args = ['build', 'console', '--logLevel=warn'];
      await step('Building the console', [process.execPath, bin('vite', 'vite'), ...args]);
      writeFileSync(consoleStamp, '');
    },
  },
];

/** Two commands that install or build in the same clone would break each other, so only one runs at a time. */
async function waitForOthers() {
  for (let waited = 0; ; waited++) {
    const owner = tryToLock();
    if (owner === process.pid) return;
    if (owner && waited === 0)
      console.error(`Waiting for another command (process ${owner}) that is installing or building here …`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** The process that has the lock now: this one or another, or undefined if it may be free. */
function tryToLock() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return process.pid;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    // The command, and its step, which outlives a command that was killed.
    const owner = readFileSync(lock, 'utf8').split(' ').map(Number).find(isRunning);
    if (owner === undefined) unlock();
    return owner;
  } catch {
    return undefined; // it was unlocked meanwhile
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH'; // EPERM: it belongs to another user
  }
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

/**
 * Runs a step, and exits if it fails. The step has a process group of its own: a signal ends it with everything that it
 * started, and only then this process. Otherwise the next command would install into a folder that still changes.
 */
async function step(line, [program, ...args], detail = () => '') {
  const inTerminal = process.stderr.isTTY;
  const startedAt = performance.now();
  const show = () => {
    const seconds = (performance.now() - startedAt) / 1000;
    process.stderr.write(`\r\x1b[2K${line} … ${detail()}${seconds.toFixed(seconds < 10 ? 1 : 0)} s`);
  };
  if (inTerminal) show();
  else console.error(`${line} …`);
  const timer = inTerminal && setInterval(show, 1_000);
  const stdio = ['ignore', 'ignore', inTerminal ? 'pipe' : 'inherit'];
  const child = spawn(program, args, { cwd: root, stdio, detached: true });
  let messages = '';
  child.stderr?.on('data', (chunk) => {
    messages += chunk;
  });
  if (child.pid) writeFileSync(lock, `${process.pid} ${child.pid}`);
  let stoppedBy;
  const stop = (signal) => {
    stoppedBy = signal;
    if (child.pid && isRunning(-child.pid)) process.kill(-child.pid, 'SIGKILL');
  };
  for (const signal of signals) process.on(signal, stop);
  const status = await new Promise((resolve) => child.once('error', resolve).once('close', resolve));
  for (const signal of signals) process.off(signal, stop);
  clearInterval(timer);
  if (inTerminal) {
    show();
    // Warnings about the build are for those who work on it.
    process.stderr.write(`\n${status === 0 ? '' : messages}`);
  }
  if (stoppedBy) {
    unlock();
    return new Promise(() => process.kill(process.pid, stoppedBy));
  }
  if (status === 0) return;
  console.error(`${line} failed. ${status?.message ?? 'The lines above say why.'}`);
  process.exit(1);
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** How many packages npm has unpacked. Optional ones may be for another platform. */
function countPackages() {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
  const wanted = Object.keys(packages).filter((path) => path !== '' && !packages[path].optional);
  const isThere = (path) => existsSync(`${root}${path}/package.json`);
  return () => `${wanted.filter(isThere).length} of ${wanted.length} packages, `;
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
