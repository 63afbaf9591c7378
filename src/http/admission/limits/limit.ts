import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { anonymousPerMinute, type Plan, planLimits } from '../../../vocabulary.ts';

/** A fixed UTC window, aligned to the epoch; `seconds` is a whole number. */
export type Window = { name: 'minute' | 'day'; limit: number; seconds: number };

/** `reset` is the first Unix second of the next window. */
export type WindowState = Window & { remaining: number; reset: number };

/** `now` is the store's clock in Unix seconds, with a fraction. The time until a reset is only correct relative to it. */
export type Decision = { allowed: boolean; now: number; windows: WindowState[] };

export interface LimitStore {
  /**
   * With cost 1, counts one request in every window, or refuses without counting if any window is exhausted. With cost 0,
   * counts nothing, and `allowed` says whether a request would be allowed.
   */
  take(bucket: string, windows: readonly Window[], cost: 0 | 1): Promise<Decision>;
  close(): Promise<void>;
}

export function windowsOf(plan: Plan): readonly Window[] {
  const { requestsPerMinute, requestsPerDay } = planLimits[plan];
  return [minute(requestsPerMinute), day(requestsPerDay)];
}

/**
 * For a client address without a valid key. There is no daily window, because it would keep a counter per address for a day.
 */
export const anonymousWindows: readonly Window[] = [minute(anonymousPerMinute)];

/** `used` may exceed the limit: a plan can be downgraded in the middle of a window. */
export function windowState(window: Window, used: number, now: number): WindowState {
  const { name, limit, seconds } = window;
  const reset = (Math.floor(now / seconds) + 1) * seconds;
  return { name, limit, seconds, remaining: Math.max(0, limit - used), reset };
}

/** The `RateLimit` fields are those of draft-ietf-httpapi-ratelimit-headers-10. */
export function limitHeaders({ allowed, now, windows }: Decision): Record<string, string> {
  const [tightest] = windows.toSorted((a, b) => a.remaining - b.remaining || b.reset - a.reset);
  if (!tightest) return {};
  // Rounded up, so that a client that waits exactly this long is not still in the old window.
  const wait = (window: WindowState) => Math.max(1, Math.ceil(window.reset - now));
  const exhausted = windows.filter((window) => window.remaining === 0);
  return {
    'X-RateLimit-Limit': String(tightest.limit),
    'X-RateLimit-Remaining': String(tightest.remaining),
    'X-RateLimit-Reset': String(tightest.reset),
    'RateLimit-Policy': windows.map((w) => `"${w.name}";q=${w.limit};w=${w.seconds}`).join(', '),
    RateLimit: windows.map((w) => `"${w.name}";r=${w.remaining};t=${wait(w)}`).join(', '),
    ...(!allowed && { 'Retry-After': String(Math.max(1, ...exhausted.map(wait))) }),
  };
}

/**
 * IPv6 by /64, because one subscriber owns all of it. Anything that is not an address shares one bucket, so that it cannot
 * be used to evade the limit.
 */
export function addressBucket(address: string): string {
  const bare = address.replace(/%.*$/s, '');
  if (isIP(bare) === 0) return 'ip:unknown';
  const parsed = ipaddr.process(bare);
  if (parsed instanceof ipaddr.IPv4) return `ip:${parsed}`;
  return `ip:${parsed.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

function minute(limit: number): Window {
  return { name: 'minute', limit, seconds: 60 };
}

function day(limit: number): Window {
  return { name: 'day', limit, seconds: 86_400 };
}
