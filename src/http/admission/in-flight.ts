import { getHeapStatistics } from 'node:v8';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The most memory that a request may take, in bytes, for any content of a body of this length. */
    weigh?: (request: FastifyRequest, bodyBytes: number) => number;
  }
  interface FastifyRequest {
    reservation: MemoryReservation | null;
  }
}

/** A memory reservation, which ends when all holders have released it. */
export type MemoryReservation = { hold(): () => void };

type Bounds = { organization: number; process: number; small: number };

const MiB = 1024 * 1024;

const defaultBounds: Bounds = {
  /** Three full batches of ingest: one that is being written and two that wait for it. */
  organization: 320 * MiB,
  process: Math.max(320 * MiB, getHeapStatistics().heap_size_limit / 2),
  /**
   * An organization with less than this in flight is accepted even if the process is full: other organizations' batches must
   * not block a user's clicks.
   */
  small: 8 * MiB,
};

/** A batch of the same organization takes seconds. */
const retryAfter = { headers: { 'Retry-After': '5' } };

/** For bodies that are read whole. A stream of lines may take hours. */
const arrivalMs = 5 * 60_000;

/**
 * Limits the memory of requests in flight, per organization and for the process. The headers alone decide, before anything
 * is read, parsed or counted, so a refused request costs nothing.
 */
export function createInFlight({ organization, process, small }: Bounds = defaultBounds) {
  const byHolder = new Map<string, number>();
  let total = 0;

  function add(holder: string, weight: number): void {
    total += weight;
    const mine = (byHolder.get(holder) ?? 0) + weight;
    if (mine > 0) byHolder.set(holder, mine);
    else byHolder.delete(holder);
  }

  return {
    /** Throws if the limit is reached. */
    reserve(holder: string, weight: number): MemoryReservation {
      const mine = (byHolder.get(holder) ?? 0) + weight;
      if (mine > organization) {
        throw new ApiError(
          'rate_limited',
          'Your organization has too much data in flight. Wait for earlier requests to finish, then try again.',
          retryAfter,
        );
      }
      if (total + weight > process && mine > small) {
        throw new ApiError(
          'unavailable',
          'The service is processing as much data as it can. Try again shortly.',
          retryAfter,
        );
      }
      add(holder, weight);
      let holds = 0;
      return {
        hold() {
          holds++;
          let held = true;
          return () => {
            if (held && --holds === 0) add(holder, -weight);
            held = false;
          };
        },
      };
    },
  };
}

export type InFlight = ReturnType<typeof createInFlight>;

/** Reserves memory for the body of a request, if any, until the connection is done with it. */
export function reserveBody(
  inFlight: InFlight,
  request: FastifyRequest,
  reply: FastifyReply,
  holder: string,
): void {
  const bytes = bodyBytes(request);
  if (bytes === 0) return;
  // The close event of this connection has already fired and will not fire again.
  if (request.raw.socket.destroyed) throw new ApiError('invalid_request', 'The connection was closed.');
  const { weigh = weighParsed } = request.routeOptions.config;
  request.reservation = inFlight.reserve(holder, weigh(request, bytes));
  const letGo = request.reservation.hold();
  const late = setTimeout(() => {
    const isRead = request.raw.complete || request.body !== undefined;
    if (!isRead) request.raw.destroy();
  }, arrivalMs).unref();
  // A response to an aborted upload never closes, but its connection does.
  const { socket } = request.raw;
  const end = () => {
    clearTimeout(late);
    socket.off('close', end);
    letGo();
  };
  reply.raw.once('close', end);
  socket.once('close', end);
}

/** For a handler that may outlive its caller: it keeps the reservation until it is done. */
export async function holdingReservation<T>(
  { reservation }: FastifyRequest,
  run: () => Promise<T>,
): Promise<T> {
  const letGo = reservation?.hold();
  try {
    return await run();
  } finally {
    letGo?.();
  }
}

function bodyBytes({ headers, routeOptions }: FastifyRequest): number {
  const most = routeOptions.bodyLimit ?? 0;
  return headers['transfer-encoding'] === undefined
    ? Math.min(Number(headers['content-length'] ?? 0), most)
    : most;
}

/**
 * Memory of parsed JSON as a multiple of its bytes: `[[[[…` 28, `[{"16":0},…` 24, `[{},…` 21, objects with the same few
 * names 5 to 12, text 1 or 2 (Node 20, heap after a full garbage collection).
 */
export function weighParsed(_request: FastifyRequest, bytes: number): number {
  return 30 * bytes;
}
