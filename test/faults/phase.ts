import { setTimeout as delay } from 'node:timers/promises';
import type { Checker, Findings } from './checker.ts';
import { type Sent, timedOut } from './client.ts';
import { type Fault, shutDown } from './faults.ts';
import type { Installation } from './installation.ts';
import type { Load } from './load.ts';
import type { Died } from './service-process.ts';

export type Row = {
  name: string;
  title: string;
  requests: number;
  /** The number of failures by kind. */
  failed: Map<string, number>;
  longestMs: number;
  /** Seconds until a whole second had no failure, and until a delivery arrived; null if that took too long. */
  recovery?: { requests: number | null; deliveries: number | null };
  findings: Findings;
  died: Died[];
  /** Why the run failed. */
  problems: string[];
};

const giveUpSeconds = 60;

type Context = { installation: Installation; load: Load; checker: Checker };

/** One fault under load: strike, wait for recovery, check. */
export async function runPhase(
  fault: Fault,
  { installation, load, checker, quick }: Context & { quick: boolean },
): Promise<Row> {
  const startedAt = performance.now();
  await delay(500);
  const spared = await fault.spared?.(installation);
  const overAt = await fault.strike(installation, quick);
  const requests = await waitFor(() => cleanSecond(load.sent, overAt));
  const deliveries = await waitFor(() => firstArrival(installation, overAt));
  await delay(quick ? 500 : 2_000);
  const endedAt = performance.now();
  const sent = between(load.sent, startedAt, endedAt);
  // Pending requests end by their own timeout, not because the fault ends.
  while (sent.some(({ outcome }) => outcome === undefined)) await delay(100);
  await fault.after?.(installation);
  await installation.whole();
  const findings = await checker.check();
  const { name, title } = fault;
  const row = {
    name,
    title,
    ...summarize(sent),
    recovery: { requests, deliveries },
    findings,
    died: died(installation),
  };
  const orgs = new Map(load.organizations.map(({ id, key }) => [key, id]));
  const kinds = sent.flatMap(({ key, failure }) =>
    failure && spared?.(orgs.get(key) ?? '') ? [failure] : [],
  );
  const hit =
    kinds.length > 0 ? [`${kinds.length} requests failed out of its reach: ${[...new Set(kinds)]}`] : [];
  return { ...row, problems: [...judge(row, fault.unnoticed), ...hit] };
}

/**
 * Waits for the last deliveries and events. Then stops all processes at the same time, under load; acknowledged data must
 * survive.
 */
export async function finish({ installation, load, checker }: Context): Promise<Row> {
  await load.stop();
  const unsettled = await checker.settled().then(
    () => [],
    (error: Error) => [error.message],
  );
  const findings = await checker.check();
  findings.wrong.push(...(await checker.reordered()));
  const startedAt = performance.now();
  load.start();
  await delay(1_000);
  const { seconds, problems } = await shutDown(installation);
  await load.stop();
  findings.lost.push(...(await checker.acknowledgedAndLost()));
  findings.stuck.push(...unsettled);
  const sent = between(load.sent, startedAt, performance.now());
  const title = `every process ended (SIGTERM) under load, in ${seconds.toFixed(1)} s`;
  const row = { name: 'shutdown', title, ...summarize(sent), findings, died: died(installation) };
  return { ...row, problems: [...problems, ...judge(row)] };
}

function died({ processes }: Installation): Died[] {
  return processes.flatMap((service) => service.died.splice(0));
}

/** Failures by kind, and the longest wait. */
export function summarize(sent: Sent[]): Pick<Row, 'requests' | 'failed' | 'longestMs'> {
  const failed = new Map<string, number>();
  for (const { failure } of sent) if (failure) failed.set(failure, (failed.get(failure) ?? 0) + 1);
  return { requests: sent.length, failed, longestMs: Math.max(0, ...sent.map(({ ms }) => ms)) };
}

function between(sent: Sent[], from: number, to: number): Sent[] {
  return sent.filter(({ at }) => at >= from && at < to);
}

/** Losing, skipping, reordering, dying, hanging and 500s always fail the run; other failures are allowed for a while. */
function judge(row: Omit<Row, 'problems'>, unnoticed = false): string[] {
  const { findings, failed, recovery, died } = row;
  const failures = [...failed.values()].reduce((sum, count) => sum + count, 0);
  const hung = failed.get(timedOut) ?? 0;
  return [
    ...list(findings.lost, 'lost'),
    ...list(findings.wrong, 'wrong'),
    ...list(findings.stuck, 'stuck'),
    ...died.map(({ name, how, lastWords }) => `${name} ended with ${how}:\n${lastWords}`),
    ...(hung > 0 ? [`${hung} requests without an answer`] : []),
    ...(failed.has('500') ? [`${failed.get('500')} requests answered 500`] : []),
    ...(unnoticed && failures > 0 ? [`${failures} requests failed, where none may`] : []),
    ...(recovery?.requests === null ? [`requests still fail after ${giveUpSeconds} seconds`] : []),
    ...(recovery?.deliveries === null ? [`no delivery for ${giveUpSeconds} seconds`] : []),
  ];
}

function list(findings: string[], what: string): string[] {
  const more = findings.length > 5 ? [`${what}: and ${findings.length - 5} more`] : [];
  return [...findings.slice(0, 5).map((finding) => `${what}: ${finding}`), ...more];
}

/** Polls until there is a result; null if none comes in time. */
async function waitFor(ask: () => number | undefined): Promise<number | null> {
  const giveUpAt = performance.now() + giveUpSeconds * 1_000;
  while (performance.now() < giveUpAt) {
    const answer = ask();
    if (answer !== undefined) return answer;
    await delay(50);
  }
  return null;
}

/** Seconds from `since` to the first second in which every request succeeded. */
function cleanSecond(sent: Sent[], since: number): number | undefined {
  let from = since;
  for (const { at, outcome } of sent) {
    if (at < since || (outcome !== undefined && outcome !== 'failed')) continue;
    if (at >= from + 1_000) break;
    from = at + 1;
  }
  return from + 1_000 <= performance.now() ? (from - since) / 1_000 : undefined;
}

function firstArrival({ receiver }: Installation, since: number): number | undefined {
  const first = receiver.arrivals.find(({ at }) => at >= since);
  return first && (first.at - since) / 1_000;
}
