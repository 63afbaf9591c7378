import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './process.ts';

/**
 * Creates a folder and its parents. `mkdir` with `recursive` does not return where the parent exists and the system reports
 * that it does not, as in /proc: Node.js then tries forever.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (errorCode(error) === 'ENOENT' && !(await isFolder(dirname(path)))) {
      await makeFolder(dirname(path), mode);
      return makeFolder(path, mode);
    }
    if (!(await isFolder(path))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
