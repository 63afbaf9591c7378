import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

export function checkNode(): Finding {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19)
    ? ok('node', node)
    : fail('node', node, 'Install Node.js 20.19 or later.');
}

/** The folder, what must be secret in it, and the space that it has left. */
export async function* checkDataDir(dataDir: string): AsyncGenerator<Finding> {
  const folder = await stat(dataDir).catch(() => null);
  if (!folder) return yield ok('data folder', `${dataDir} is not there yet; the first start makes it`);
  const closed = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => null,
    reasonOf,
  );
  if (closed)
    return yield fail('data folder', closed, `Run this, and the service, as the user who owns ${dataDir}.`);
  yield (folder.mode & 0o022) === 0
    ? ok('data folder', dataDir)
    : warn('data folder', `others may write to ${dataDir}`, `chmod go-w '${dataDir}'`);

  for (const name of ['operator.key', 'encryption.keys', 'demo.key', 'tls/server-key.pem']) {
    const file = join(dataDir, name);
    const found = await stat(file).catch(() => null);
    if (found && (found.mode & 0o077) !== 0)
      yield fail('secrets', `others may read ${file}`, `chmod 600 '${file}', and replace what it holds.`);
    else if (found) yield ok('secrets', `${name} is readable by its owner alone`);
  }

  const { bavail, bsize } = await statfs(dataDir);
  const freeGb = (bavail * bsize) / 1e9;
  const message = `${freeGb.toFixed(1)} GB free`;
  if (freeGb < 0.2) yield fail('disk', message, 'Make room: the database stops when there is none.');
  else yield freeGb < 2 ? warn('disk', message, 'Make room before there is none.') : ok('disk', message);
}
