import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { leastFreeBytes } from '../../vocabulary.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

export function checkNode(): Finding {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19)
    ? ok('node', node)
    : fail('node', node, 'Install Node.js 20.19 or later.');
}

/** The folder, the permissions of its secrets, and free disk space. */
export async function* checkDataDir(dataDir: string): AsyncGenerator<Finding> {
  const folder = await stat(dataDir).catch(() => null);
  if (!folder) return yield ok('data folder', `${dataDir} does not exist yet; the first start creates it`);
  const denied = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => null,
    reasonOf,
  );
  if (denied)
    return yield fail(
      'data folder',
      denied,
      `Run this command and the service as the user who owns ${dataDir}.`,
    );
  yield (folder.mode & 0o022) === 0
    ? ok('data folder', dataDir)
    : warn('data folder', `other users can write to ${dataDir}`, `Run chmod go-w '${dataDir}'.`);

  for (const name of [
    'operator.key',
    'encryption.keys',
    'demo.key',
    'demo-write.key',
    'tls/server-key.pem',
  ]) {
    const file = join(dataDir, name);
    const found = await stat(file).catch(() => null);
    if (found && (found.mode & 0o077) !== 0)
      yield fail(
        'secrets',
        `other users can read ${file}`,
        `Run chmod 600 '${file}', then replace the secret.`,
      );
    else if (found) yield ok('secrets', `only its owner can read ${name}`);
  }

  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const message = `${free < GiB ? `${Math.floor(free / MiB)} MiB` : `${(free / GiB).toFixed(1)} GiB`} free`;
  if (free < leastFreeBytes)
    yield fail(
      'disk',
      message,
      `Free some disk space. Below ${leastFreeBytes / MiB} MiB, a service with the embedded database rejects changes.`,
    );
  else yield free < 2 * GiB ? warn('disk', message, 'Free some disk space soon.') : ok('disk', message);
}

const MiB = 2 ** 20;
const GiB = 2 ** 30;
