import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from './faults.ts';
import type { Installation } from './installation.ts';

const now = () => performance.now();

/** Faults of a Citus cluster, in their natural order: it grows, and then it breaks. */
export const citusFaults: Fault[] = [
  {
    name: 'grow',
    title: 'a node added and the shards rebalanced',
    async strike({ citus }) {
      const added = await citus.addWorker();
      await citus.rebalance();
      if ((await citus.organizationsOn(added)).length === 0) throw new Error('no organization has moved');
      return now();
    },
  },
  {
    name: 'isolate',
    title: 'an organization given shards of its own, on another node',
    async strike({ citus }) {
      const [from] = citus.workers;
      const to = citus.workers.at(-1);
      const [org] = from ? await citus.organizationsOn(from) : [];
      if (!org || !to) throw new Error('there is no organization to isolate, or no node for it');
      await citus.isolate(org, to);
      return now();
    },
  },
  {
    name: 'kill-node',
    title: 'kill -9 of a node, started again',
    async spared(installation) {
      const hit = await organizationsOnFirst(installation);
      return (org) => !hit.includes(org);
    },
    async strike({ citus }, quick) {
      const [node] = citus.workers;
      await node?.end('SIGKILL');
      await delay(quick ? 5_000 : 15_000);
      await node?.run();
      return now();
    },
  },
  {
    name: 'restart-coordinator',
    title: 'the coordinator restarted at once (-m immediate)',
    async strike({ citus }) {
      await citus.coordinator.end('SIGQUIT');
      await citus.coordinator.run();
      return now();
    },
  },
];

function organizationsOnFirst({ citus }: Installation): Promise<string[]> {
  const [node] = citus.workers;
  if (!node) throw new Error('there is no node');
  return citus.organizationsOn(node);
}
