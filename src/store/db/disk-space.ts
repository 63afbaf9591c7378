import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import { ApiError } from '../../contract/error.ts';

/**
 * PostgreSQL ends when it cannot write its log, which grows by 16 MB at a time. Below this much nothing new is begun: what
 * is under way then, and the next checkpoint, still find room.
 */
const leastBytes = 256 * 1024 * 1024;
/** Above it, so that a disk at the edge does not go back and forth. */
const enoughBytes = leastBytes * 1.25;
const everyMs = 1_000;

export type DiskSpace = {
  freeBytes(): number;
  isLow(): boolean;
  /** Throws what a request that would write is answered with while there is too little room. */
  checkRoom(): void;
  close(): Promise<void>;
};

/** Keeps an eye on the room that the embedded database has on the disk of `dir`. */
export async function watchDiskSpace(dir: string, log: Logger): Promise<DiskSpace> {
  let free = 0;
  let low = false;
  let looking = look();

  async function look(): Promise<void> {
    const { bavail, bsize } = await statfs(dir);
    free = bavail * bsize;
    if (low ? free < enoughBytes : free >= leastBytes) return;
    low = !low;
    const fields = { data_dir: dir, free_mb: Math.floor(free / 1e6) };
    if (low)
      log.error(fields, 'the disk is almost full: nothing is written until there is room, reads go on');
    else log.info(fields, 'the disk has room again: writes go on');
  }

  await looking;
  const timer = setInterval(() => {
    looking = look().catch(() => {}); // a disk that cannot be asked fails those who write to it
  }, everyMs).unref();
  return {
    freeBytes: () => free,
    isLow: () => low,
    checkRoom() {
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
