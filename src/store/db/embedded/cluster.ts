import { chown, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError, errorCode, runProgram, type ServerUser } from './process.ts';

const draftPrefix = 'postgres.new-';

/** The user who runs the server: ourselves or, because PostgreSQL refuses root, the owner of the cluster. */
export async function chooseServerUser(clusterDir: string): Promise<ServerUser> {
  const ownUid = process.getuid?.();
  const owner = await stat(clusterDir).catch(ignoreMissing);
  if (ownUid !== 0) {
    if (owner === undefined || owner.uid === ownUid) return undefined;
    throw new EmbeddedPostgresError(
      `${clusterDir} belongs to user ${owner.uid}, but this process runs as user ${ownUid}. Run it as that user or as root, or chown -R the folder.`,
    );
  }
  if (process.platform !== 'linux') {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root. Start the service as another user, or set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const user = await unprivilegedUser();
  if (owner && (await readdir(clusterDir)).length > 0) {
    throw new EmbeddedPostgresError(
      `${clusterDir} belongs to root, but PostgreSQL does not run as root. Run chown -R ${user.uid}:${user.gid} ${clusterDir}, and start again.`,
    );
  }
  return user;
}

/** Creates the cluster if there is none. It gets its name only when it is complete. */
export async function ensureCluster(
  clusterDir: string,
  { binaries, user, log }: { binaries: Binaries; user: ServerUser; log: (line: string) => void },
): Promise<void> {
  if (await hasCluster(clusterDir, binaries.major)) return;
  const dataDir = dirname(clusterDir);
  const draft = await mkdtemp(join(dataDir, draftPrefix));
  if (user) await chown(draft, user.uid, user.gid);
  const initdb = runProgram(binaries.initdb, ['-D', await pathForServer(draft, user), ...initdbOptions], {
    user,
    cwd: draft,
    log,
  });
  const end = await initdb.ended;
  try {
    if (!end.ok) {
      throw new EmbeddedPostgresError(
        `initdb failed in ${dataDir} (${end.why}). Output: ${initdb.lastLines()}`,
      );
    }
    await rename(draft, clusterDir);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process was faster, and may even have removed our draft.
    if (await hasCluster(clusterDir, binaries.major)) return;
    throw error;
  }
  // If a power failure lost the new name, the next start would take the cluster for an abandoned draft.
  const parent = await open(dataDir);
  await parent.sync();
  await parent.close();
}

/** Call only with the lock: a draft that another process still works on is no longer needed. */
export async function removeDrafts(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir).catch(() => [])) {
    if (!name.startsWith(draftPrefix)) continue;
    // An initdb that outlived its parent may still write there; the next start removes it.
    await rm(join(dataDir, name), { recursive: true, force: true }).catch(() => {});
  }
}

/**
 * How the server's user refers to `dir`, the working directory of its process. If that user cannot access a parent
 * directory, the kernel's link still works, because it needs no permission on the parents.
 */
export async function pathForServer(dir: string, user: ServerUser): Promise<string> {
  if (user === undefined) return dir;
  for (let parent = dirname(dir); ; parent = dirname(parent)) {
    if (((await stat(parent)).mode & 0o001) === 0) return '/proc/self/cwd';
    if (parent === dirname(parent)) return dir;
  }
}

const initdbOptions = [
  '--username=postgres',
  // The server listens only on a socket in its own directory, which other users cannot access.
  '--auth-local=trust',
  '--auth-host=reject',
  '--encoding=UTF8',
  // Sorts by code point, like C, on every machine, but knows upper and lower case beyond ASCII.
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--no-instructions',
];

async function hasCluster(clusterDir: string, major: string): Promise<boolean> {
  const version = (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8').catch(ignoreMissing))?.trim();
  if (version === major) return true;
  if (version !== undefined) {
    throw new EmbeddedPostgresError(
      `${clusterDir} was created by PostgreSQL ${version}, but this release includes PostgreSQL ${major}. Run your own PostgreSQL ${version} on this folder and set DATABASE_URL, or dump the data with it and restore it into a new DATA_DIR.`,
    );
  }
  const entries = await readdir(clusterDir).catch(ignoreMissing);
  if (entries === undefined || entries.length === 0) return false;
  throw new EmbeddedPostgresError(
    `${clusterDir} is not a PostgreSQL data directory. Move it, or choose another DATA_DIR.`,
  );
}

async function unprivilegedUser(): Promise<{ uid: number; gid: number }> {
  const accounts = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and there is no user postgres or nobody. Start the service as another user, or set DATABASE_URL to a PostgreSQL server of your own.',
  );
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}
