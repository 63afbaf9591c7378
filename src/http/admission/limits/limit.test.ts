import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressBucket,
  anonymousWindows,
  type Decision,
  limitHeaders,
  type WindowState,
  windowState,
  windowsOf,
} from './limit.ts';

const noon = 1_800_014_400; // 2027-01-15T12:00:00Z

describe('the plans', () => {
  it('are those of the specification', () => {
    expect(windowsOf('standard').map(({ limit, seconds }) => [limit, seconds])).toEqual([
      [60, 60],
      [10_000, 86_400],
    ]);
    expect(windowsOf('enterprise').map(({ limit, seconds }) => [limit, seconds])).toEqual([
      [300, 60],
      [100_000, 86_400],
    ]);
    expect(anonymousWindows).toEqual([{ name: 'minute', limit: 60, seconds: 60 }]);
  });
});

describe('a window', () => {
  const window = { name: 'minute', limit: 60, seconds: 60 } as const;

  it('ends at the next whole minute of UTC, also when asked at its first instant', () => {
    expect(windowState(window, 0, noon).reset).toBe(noon + 60);
    expect(windowState(window, 0, noon + 59.999).reset).toBe(noon + 60);
    expect(windowState(window, 0, noon + 60).reset).toBe(noon + 120);
  });

  it('never has less than nothing left, when the limit was lowered below what is used', () => {
    expect(windowState(window, 61, noon).remaining).toBe(0);
  });
});

describe('the headers', () => {
  it('tell the window with fewer requests left, and every window in the fields of the IETF draft', () => {
    expect(limitHeaders(decision({ minute: 59, day: 9_999, now: noon + 30 }))).toEqual({
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '59',
      'X-RateLimit-Reset': String(noon + 60),
      'RateLimit-Policy': '"minute";q=60;w=60, "day";q=10000;w=86400',
      RateLimit: '"minute";r=59;t=30, "day";r=9999;t=43170',
    });
  });

  it('tell the day when fewer are left of it than of the minute', () => {
    expect(limitHeaders(decision({ minute: 59, day: 12 }))).toMatchObject({
      'X-RateLimit-Limit': '10000',
      'X-RateLimit-Remaining': '12',
      'X-RateLimit-Reset': String(noon + 43_200),
    });
  });

  it('tell the later reset where equally many are left', () => {
    const later = { 'X-RateLimit-Limit': '10000', 'X-RateLimit-Reset': String(noon + 43_200) };
    const equal = decision({ minute: 7, day: 7 });
    expect(limitHeaders(equal)).toMatchObject(later);
    expect(limitHeaders({ ...equal, windows: equal.windows.toReversed() })).toMatchObject(later);
  });

  it('ask for no wait when the last request was allowed', () => {
    expect(limitHeaders(decision({ minute: 0, day: 100 }))).not.toHaveProperty('Retry-After');
  });

  it.each([
    { exhausted: 'the minute', minute: 0, day: 100, now: noon + 30, seconds: '30' },
    { exhausted: 'the minute, with a fraction left', minute: 0, day: 100, now: noon + 29.25, seconds: '31' },
    {
      exhausted: 'the minute, with less than a second left',
      minute: 0,
      day: 100,
      now: noon + 59.999,
      seconds: '1',
    },
    { exhausted: 'the day', minute: 5, day: 0, now: noon + 30, seconds: '43170' },
    { exhausted: 'both', minute: 0, day: 0, now: noon + 30, seconds: '43170' },
  ])('ask a refused request to wait long enough for $exhausted', ({ minute, day, now, seconds }) => {
    const headers = limitHeaders(decision({ minute, day, now, allowed: false }));
    expect(headers['Retry-After']).toBe(seconds);
  });

  it('hold nothing but whole numbers, and a wait that always reaches the next window', () => {
    const times = fc.double({ min: noon, max: noon + 86_400, noNaN: true });
    fc.assert(
      fc.property(times, fc.nat(60), fc.nat(10_000), fc.boolean(), (now, minute, day, allowed) => {
        const asked = decision({ minute, day, now, allowed });
        const { 'RateLimit-Policy': policy = '', RateLimit: limit = '', ...numbers } = limitHeaders(asked);
        for (const value of Object.values(numbers)) expect(value).toMatch(/^\d+$/);
        expect(policy).toBe('"minute";q=60;w=60, "day";q=10000;w=86400');
        expect(limit).toMatch(/^"minute";r=\d+;t=\d+, "day";r=\d+;t=\d+$/);
        const back = now + Number(numbers['Retry-After'] ?? Number.POSITIVE_INFINITY);
        for (const { remaining, reset } of asked.windows)
          if (!remaining) expect(back).toBeGreaterThanOrEqual(reset);
      }),
    );
  });
});

describe('the bucket of an address', () => {
  it('is the address itself for IPv4, also when mapped into IPv6 in any spelling', () => {
    for (const address of [
      '203.0.113.9',
      '::ffff:203.0.113.9',
      '::FFFF:cb00:7109',
      '0:0:0:0:0:ffff:203.0.113.9',
    ]) {
      expect(addressBucket(address)).toBe('ip:203.0.113.9');
    }
    expect(addressBucket('203.0.113.10')).not.toBe(addressBucket('203.0.113.9'));
  });

  it('is the /64 network for IPv6', () => {
    expect(addressBucket('2001:db8:1:2::1')).toBe('ip:2001:db8:1:2::/64');
    expect(addressBucket('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe('ip:2001:db8:1:2::/64');
    expect(addressBucket('2001:db8:1:3::1')).not.toBe(addressBucket('2001:db8:1:2::1'));
    expect(addressBucket('::1')).toBe('ip:0:0:0:0::/64');
    expect(addressBucket('2001:db8::')).toBe('ip:2001:db8:0:0::/64');
    expect(addressBucket('64:ff9b::203.0.113.9')).toBe('ip:64:ff9b:0:0::/64');
  });

  it('is the same for every spelling of one IPv6 network', () => {
    const group = fc.oneof(fc.constant(0), fc.nat(0xffff));
    const network = fc.tuple(group, group, group, group);
    fc.assert(
      fc.property(network, network, (high, low) => {
        // A first group other than zero avoids IPv4 addresses mapped into IPv6.
        const groups = [0x2001, ...high.slice(1), ...low];
        const bucket = `ip:${hex(groups.slice(0, 4))}::/64`;
        const long = groups.map((g) => g.toString(16).padStart(4, '0')).join(':');
        const short = new URL(`http://[${long}]`).hostname.slice(1, -1);
        for (const address of [long, long.toUpperCase(), short, hex(groups), `${short}%eth0`]) {
          expect(addressBucket(address)).toBe(bucket);
        }
      }),
    );
  });

  it('is one and the same for all that is no address', () => {
    for (const address of ['', 'unknown', '1.2.3', '1.2.3.4:80', ':::', '}{', 'fe80::1\n'])
      expect(addressBucket(address)).toBe('ip:unknown');
  });
});

function hex(groups: number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}

type Case = { minute: number; day: number; now?: number; allowed?: boolean };

function decision({ minute, day, now = noon, allowed = true }: Case): Decision {
  const left = { minute, day };
  const windows = windowsOf('standard').map(
    (window): WindowState => windowState(window, window.limit - left[window.name], now),
  );
  return { allowed, now, windows };
}
