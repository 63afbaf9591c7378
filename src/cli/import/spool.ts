import { createWriteStream, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Standard input can be read only once, an import is read twice: it is copied to a file that goes with the process. */
export async function spoolInput(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'partner-signals-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'input');
  await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
  return path;
}
