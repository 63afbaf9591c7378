export type OrganizationQueue = {
  /** Runs `work` as soon as fewer than `most` pieces of the organization's work run; those that wait keep their order. */
  run<T>(orgId: string, work: () => Promise<T>): Promise<T>;
  /** Whether work of any organization runs. */
  isBusy(): boolean;
  isBusyWith(orgId: string): boolean;
};

/**
 * Bounds the work of each organization before it takes a connection: what one of them sends in a burst takes its own time,
 * and nobody else's.
 */
export function createOrganizationQueue(most: number): OrganizationQueue {
  const queues = new Map<string, { running: number; waiting: (() => void)[] }>();

  return {
    async run(orgId, work) {
      const queue = queues.get(orgId) ?? { running: 0, waiting: [] };
      queues.set(orgId, queue);
      if (queue.running < most) queue.running++;
      else await new Promise<void>((resolve) => queue.waiting.push(resolve));
      try {
        return await work();
      } finally {
        // Whoever has waited longest takes over from this one.
        const next = queue.waiting.shift();
        if (next) next();
        else if (--queue.running === 0) queues.delete(orgId);
      }
    },
    isBusy: () => queues.size > 0,
    isBusyWith: (orgId) => queues.has(orgId),
  };
}
