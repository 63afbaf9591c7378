import { setTimeout as delay } from 'node:timers/promises';
import type { Installation } from './installation.ts';
import { role } from './server.ts';
import type { ServiceProcess } from './service-process.ts';

export type Fault = {
  name: string;
  /** The description in the table. */
  title: string;
  /** No request may fail. */
  unnoticed?: true;
  /** Called before the fault: no request of these organizations may fail. */
  spared?(installation: Installation): Promise<(org: string) => boolean>;
  /** Runs the fault, and returns the time from which everything that the service needs is available again. */
  strike(installation: Installation, quick: boolean): Promise<number>;
  /** Cleans up after the service has recovered. */
  after?(installation: Installation): Promise<void>;
};

const now = () => performance.now();

export const faults: Fault[] = [
  {
    name: 'cut',
    title: 'database sessions ended in the middle of their work, for 5 s',
    async strike({ postgres }) {
      for (const end = now() + 5_000; now() < end; await delay(200)) {
        await postgres.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where usename = $1 and (state <> 'idle' or random() < 0.1)`,
          [role],
        );
      }
      return now();
    },
  },
  {
    name: 'freeze',
    title: 'every database connection silent',
    async strike({ postgres: { primary } }, quick) {
      primary.wire.freeze(1);
      await delay(quick ? 8_000 : 25_000);
      primary.wire.restore();
      return now();
    },
  },
  {
    name: 'freeze-some',
    title: 'half of the database connections silent for good',
    async strike({ postgres: { primary } }, quick) {
      primary.wire.freeze(0.5);
      const frozenAt = now();
      // Long enough that each of the connections has been used.
      await delay(quick ? 10_000 : 30_000);
      return frozenAt;
    },
    async after({ postgres: { primary } }) {
      primary.wire.restore({ drop: true });
    },
  },
  {
    name: 'kill-api',
    title: 'kill -9 of an API process',
    strike: ({ apis }) => killAndRestart(apis[0]),
  },
  {
    name: 'kill-worker',
    title: 'kill -9 of the worker',
    strike: ({ worker }) => killAndRestart(worker),
  },
  {
    name: 'pause-api',
    title: 'an API process stopped and continued',
    strike: ({ apis }, quick) => pause(apis[1], quick ? 5 : 10),
  },
  {
    name: 'pause-worker',
    // Longer than a lease (20 s): the results that it continues with are out of date.
    title: 'the worker stopped and continued',
    strike: ({ worker }, quick) => pause(worker, quick ? 5 : 30),
  },
  {
    name: 'redis-restart',
    title: 'Redis restarted',
    async strike(installation) {
      await installation.endRedis();
      await installation.startRedis();
      return now();
    },
  },
  {
    name: 'redis-away',
    title: 'Redis away',
    async strike(installation, quick) {
      await installation.endRedis();
      await delay(quick ? 4_000 : 10_000);
      await installation.startRedis();
      return now();
    },
  },
  {
    name: 'pgbouncer-restart',
    title: 'PgBouncer restarted',
    async strike({ pgbouncer }) {
      await pgbouncer.end('SIGTERM');
      await pgbouncer.run();
      return now();
    },
  },
  {
    name: 'postgres-restart',
    title: 'PostgreSQL restarted at once (-m immediate)',
    async strike({ postgres }) {
      await postgres.primary.end('SIGQUIT');
      await postgres.primary.run();
      return now();
    },
  },
  {
    name: 'promote',
    title: 'kill -9 of the primary, synchronous replica promoted',
    async strike(installation) {
      await installation.postgres.setSynchronous(true);
      return installation.failOver();
    },
    after: ({ postgres }) => postgres.buildReplica(),
  },
  {
    name: 'promote-async',
    // An asynchronous replica may lack the last acknowledged writes. Here the clients are cut off first, and the kill waits
    // for the replica, so nothing acknowledged is lost.
    title: 'primary cut off, asynchronous replica caught up and promoted',
    async strike(installation) {
      const { postgres } = installation;
      const { wire } = postgres.primary;
      wire.cut();
      await postgres.caughtUp();
      const promotedAt = await installation.failOver();
      wire.restore();
      return promotedAt;
    },
    after: ({ postgres }) => postgres.buildReplica(),
  },
  {
    name: 'roll',
    title: 'every process restarted in turn (SIGTERM)',
    unnoticed: true,
    async strike(installation) {
      for (const service of installation.processes) {
        const { how } = await service.end('SIGTERM');
        if (how !== 0) service.died.push({ name: service.name, how, lastWords: 'on SIGTERM' });
        await service.start();
        await installation.whole();
      }
      return now();
    },
  },
];

async function killAndRestart(service: ServiceProcess | undefined): Promise<number> {
  if (!service) throw new Error('there is no such process');
  await service.end('SIGKILL');
  const killedAt = now();
  await delay(1_000);
  await service.start();
  return killedAt;
}

async function pause(service: ServiceProcess | undefined, seconds: number): Promise<number> {
  if (!service) throw new Error('there is no such process');
  service.signal('SIGSTOP');
  await delay(seconds * 1_000);
  service.signal('SIGCONT');
  return now();
}

/** As in docs/operate/running.md: SHUTDOWN_DELAY_SECONDS, 5 by default, and at most 20 more. */
const documentedSeconds = 25;

/** Stops all processes at the same time, under load, and checks the durations that docs/operate/running.md promises. */
export async function shutDown(installation: Installation): Promise<{ seconds: number; problems: string[] }> {
  const ends = await Promise.all(
    installation.processes.map(async (service) => ({
      name: service.name,
      ...(await service.end('SIGTERM')),
    })),
  );
  const seconds = Math.max(...ends.map((end) => end.seconds));
  const problems = ends.flatMap(({ name, how, seconds }) => [
    ...(how === 0 ? [] : [`${name} ended with ${how} on SIGTERM`]),
    ...(seconds <= documentedSeconds ? [] : [`${name} took ${seconds.toFixed(1)} s to end`]),
  ]);
  return { seconds, problems };
}
