import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Mounts an empty disk of this size. Only root can, and in most containers not even root. */
export function mountDisk(folder: string, size: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', folder]).status === 0;
}

export function resizeDisk(folder: string, size: string): boolean {
  return spawnSync('mount', ['-o', `remount,size=${size}`, folder]).status === 0;
}

export function unmountDisk(folder: string): void {
  spawnSync('umount', ['-l', folder]);
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'ps-disk-'));
  const mounted = mountDisk(folder, '1m');
  if (mounted) unmountDisk(folder);
  rmSync(folder, { recursive: true });
  return mounted;
}

export const skipDisk = !canMount();
if (skipDisk)
  process.stderr.write('SKIPPED: full-disk tests, since this user cannot mount a disk (root can)\n');
