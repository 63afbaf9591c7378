import type { RouteOptions } from 'fastify';
import { callerOf } from './router.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler waits for the organization's turn by itself, and must not keep its other requests waiting meanwhile. */
    takesTurns?: boolean;
  }
}

/** Of the ten connections that requests share: two busy organizations leave some to the others. */
const placesPerOrganization = 4;

/**
 * Lets at most so many requests of one organization work at a time in a process; its others wait, in their order. What an
 * organization may send within its quota in one burst then takes its own time, and nobody else's.
 */
export function givePlaces(): (route: RouteOptions) => void {
  const inPlace = createPlaces(placesPerOrganization);
  return (route) => {
    const { access, takesTurns } = route.config ?? {};
    if (access?.plane !== 'client' || takesTurns) return;
    const { handler } = route;
    route.handler = async function (request, reply) {
      return inPlace(callerOf(request).org_id, async () => handler.call(this, request, reply));
    };
  };
}

export function createPlaces(most: number): <T>(orgId: string, run: () => Promise<T>) => Promise<T> {
  const taken = new Map<string, { count: number; waiting: (() => void)[] }>();
  return async (orgId, run) => {
    const mine = taken.get(orgId) ?? { count: 0, waiting: [] };
    taken.set(orgId, mine);
    if (mine.count < most) mine.count++;
    else await new Promise<void>((resolve) => mine.waiting.push(resolve));
    try {
      return await run();
    } finally {
      // A place goes to who waits longest; only where nobody does is it free.
      const next = mine.waiting.shift();
      if (next) next();
      else if (--mine.count === 0) taken.delete(orgId);
    }
  };
}
