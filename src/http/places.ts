import type { FastifyRequest } from 'fastify';
import { callerOf, type Router } from './router.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler waits for the organization's turn by itself, and must not keep its other requests waiting meanwhile. */
    takesTurns?: boolean;
  }
  interface FastifyRequest {
    leavePlace: (() => void) | null;
  }
}

/** Of the ten connections that requests share: two busy organizations leave some to the others. */
const placesPerOrganization = 4;

/**
 * Lets at most so many requests of one organization work at a time in a process; its others wait, in their order. What an
 * organization may send within its quota in one burst then takes its own time, and nobody else's. A request works until
 * its answer begins: whoever reads slowly holds no place.
 */
export function givePlaces(app: Router): void {
  const enter = createPlaces(placesPerOrganization);
  app.decorateRequest('leavePlace', null);
  app.addHook('preHandler', async (request) => {
    const { access, takesTurns } = request.routeOptions.config;
    if (access?.plane === 'client' && !takesTurns) request.leavePlace = await enter(callerOf(request).org_id);
  });
  app.addHook('onSend', async (request) => leavePlace(request));
  app.addHook('onResponse', async (request) => leavePlace(request));
}

/** Before the answer begins, for a handler that will only wait. */
export function leavePlace(request: FastifyRequest): void {
  request.leavePlace?.();
  request.leavePlace = null;
}

/** Resolves when there is a place, with the way to give it back. */
export function createPlaces(most: number): (orgId: string) => Promise<() => void> {
  const taken = new Map<string, { count: number; waiting: (() => void)[] }>();
  return async (orgId) => {
    const mine = taken.get(orgId) ?? { count: 0, waiting: [] };
    taken.set(orgId, mine);
    if (mine.count < most) mine.count++;
    else await new Promise<void>((resolve) => mine.waiting.push(resolve));
    return () => {
      // A place goes to who waits longest; only where nobody does is it free.
      const next = mine.waiting.shift();
      if (next) next();
      else if (--mine.count === 0) taken.delete(orgId);
    };
  };
}
