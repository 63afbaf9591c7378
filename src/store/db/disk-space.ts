import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import { ApiError } from '../../contract/error.ts';
import { leastFreeBytes } from '../../vocabulary.ts';

/** Higher than the limit, so that a disk close to it does not alternate. */
const enoughBytes = leastFreeBytes * 1.25;
const everyMs = 1_000;

export type DiskSpace = {
  freeBytes(): number;
  isLow(): boolean;
  /** Throws the error response for writes while there is too little space. */
  checkFreeSpace(): void;
  close(): Promise<void>;
};

/** Monitors the free space on the disk of `dir` for the embedded database. */
export async function watchDiskSpace(dir: string, log: Logger): Promise<DiskSpace> {
  let free = 0;
  let low = false;
  let looking = look();

  async function look(): Promise<void> {
    const { bavail, bsize } = await statfs(dir);
    free = bavail * bsize;
    if (low ? free < enoughBytes : free >= leastFreeBytes) return;
    low = !low;
    const fields = { data_dir: dir, free_mb: Math.floor(free / 1e6) };
    if (low)
      log.error(fields, 'the disk is almost full: writes are paused until there is room; reads continue');
    else log.info(fields, 'the disk has room again: writes resume');
  }

  await looking;
  const timer = setInterval(() => {
    looking = look().catch(() => {}); // if the check fails, writes to the disk fail too
  }, everyMs).unref();
  return {
    freeBytes: () => free,
    isLow: () => low,
    checkFreeSpace() {
      if (!low) return;
      throw new ApiError(
        'unavailable',
        'The disk of the service is almost full. Changes are rejected until there is space; reading still works.',
        { headers: { 'Retry-After': '10' } },
      );
    },
    async close() {
      clearInterval(timer);
      await looking;
    },
  };
}
