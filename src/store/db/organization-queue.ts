export type OrganizationQueue = {
  /** Runs `work` as soon as fewer than `most` tasks of the organization are running, in the order of the calls. */
  run<T>(orgId: string, work: () => Promise<T>): Promise<T>;
  /** Whether any organization has running work. */
  isBusy(): boolean;
  isBusyWith(orgId: string): boolean;
};

/**
 * Limits the concurrent work of each organization before it takes a connection, so that a burst from one organization delays
 * nobody else.
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
        // The task that has waited longest takes over.
        const next = queue.waiting.shift();
        if (next) next();
        else if (--queue.running === 0) queues.delete(orgId);
      }
    },
    isBusy: () => queues.size > 0,
    isBusyWith: (orgId) => queues.has(orgId),
  };
}
