import type { Logger } from 'pino';

/** One thing to stop. It gets its time limit, and how long the service still accepts requests. */
type Step = { name: string; end: (leftMs: number, delayMs: number) => Promise<unknown> };

/** Everything that is open, in the order in which it stops: each group needs the groups after it. */
export type Opened = { work: Step[]; shared: Step[]; pools: Step[]; database: Step[] };

/**
 * When each group must have stopped, in milliseconds from the start; unused time goes to the next group. A delivery attempt
 * takes up to 15 seconds, and its result is then written to a database that may be busy.
 */
const deadlines: [keyof Opened, number][] = [
  ['work', 17_000],
  ['shared', 17_500],
  ['pools', 18_000],
  ['database', 19_800],
];

/** The total, as docs/operate/running.md promises. */
export const shutdownMs = 20_000;

/** Stops everything, whatever hangs. Resolves with false if something had to be cut off; the log names it. */
export async function shutDown(opened: Opened, log: Logger, delayMs: number): Promise<boolean> {
  const begin = performance.now() + delayMs;
  let inTime = true;
  for (const [group, deadlineMs] of deadlines) {
    const leftMs = begin + deadlineMs - performance.now();
    const ends = opened[group].splice(0).map((step) => endWithin(leftMs, delayMs, step, log));
    if ((await Promise.all(ends)).includes(false)) inTime = false;
  }
  return inTime;
}

async function endWithin(
  leftMs: number,
  delayMs: number,
  { name, end }: Step,
  log: Logger,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), leftMs);
  });
  const ended = end(leftMs, delayMs).then(
    () => true,
    (err: unknown) => {
      log.error({ err, step: name }, 'a step of the shutdown failed');
      return true;
    },
  );
  const inTime = await Promise.race([ended, timeUp]);
  clearTimeout(timer);
  if (!inTime) log.error({ step: name }, 'a step of the shutdown did not end in time and was cut off');
  return inTime;
}
