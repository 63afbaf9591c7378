import { createWriteStream, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** An import reads its input twice, so standard input is copied to a file that is deleted when the process ends. */
export async function spoolInput(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'partner-signals-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'input');
  await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
  return path;
}
