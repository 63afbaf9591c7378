import { isIPv4, isIPv6 } from 'node:net';
import { anonymousPerMinute, type Plan, planLimits } from '../../vocabulary.ts';

/** A fixed window of UTC, aligned to the epoch; `seconds` is a whole number. */
export type Window = { name: 'minute' | 'day'; limit: number; seconds: number };

/** `reset` is the first Unix second of the next window. */
export type WindowState = Window & { remaining: number; reset: number };

/** `now` is the store's own clock in Unix seconds, with a fraction: the time left until a reset is only right against it. */
export type Decision = { allowed: boolean; now: number; windows: WindowState[] };

export interface LimitStore {
  /**
   * With cost 1: counts one request in every window, or, where any of them is exhausted, counts nothing and refuses.
   * With cost 0: counts nothing, and `allowed` says whether a request would be.
   */
  take(bucket: string, windows: readonly Window[], cost: 0 | 1): Promise<Decision>;
  close(): Promise<void>;
}

export function windowsOf(plan: Plan): readonly Window[] {
  const { requestsPerMinute, requestsPerDay } = planLimits[plan];
  return [minute(requestsPerMinute), day(requestsPerDay)];
}

/** For a client address without a valid key. No day: an address would hold its counter for that long. */
export const anonymousWindows: readonly Window[] = [minute(anonymousPerMinute)];

/** `used` may exceed the limit: a plan can be lowered in the middle of a window. */
export function windowState(window: Window, used: number, now: number): WindowState {
  const reset = (Math.floor(now / window.seconds) + 1) * window.seconds;
  return { ...window, remaining: Math.max(0, window.limit - used), reset };
}

/** The `RateLimit` fields are those of draft-ietf-httpapi-ratelimit-headers-10. */
export function limitHeaders({ allowed, now, windows }: Decision): Record<string, string> {
  const [tightest] = windows.toSorted((a, b) => a.remaining - b.remaining || b.reset - a.reset);
  if (!tightest) return {};
  // Rounded up, so that whoever waits exactly that long never comes back inside the old window.
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

/** IPv6 by /64, since one subscriber commands all of it; whatever is no address shares one bucket, so that it cannot be used to escape. */
export function addressBucket(address: string): string {
  const bare = address.replace(/%.*$/s, '');
  if (isIPv4(bare)) return `ip:${bare}`;
  if (!isIPv6(bare)) return 'ip:unknown';
  const groups = ipv6Groups(bare);
  const [a, b, c, d, e, f, high = 0, low = 0] = groups;
  const mapped = !a && !b && !c && !d && !e && f === 0xffff;
  if (mapped) return `ip:${[high >> 8, high & 255, low >> 8, low & 255].join('.')}`;
  return `ip:${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address. */
function ipv6Groups(address: string): number[] {
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').flatMap(partGroups));
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function partGroups(part: string): number[] {
  if (part === '') return [];
  if (!part.includes('.')) return [Number.parseInt(part, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
  return [(a << 8) | b, (c << 8) | d];
}

function minute(limit: number): Window {
  return { name: 'minute', limit, seconds: 60 };
}

function day(limit: number): Window {
  return { name: 'day', limit, seconds: 86_400 };
}
