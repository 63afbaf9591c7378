import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Whether an IP address (text, any family) is one that a webhook may be sent to: globally reachable unicast, nothing special. */
export function isPublicAddress(address: string): boolean {
  // Only the usual notation: the library also reads octal and shortened ones.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv4) return !specialIpv4.some((subnet) => parsed.match(subnet));
  const { parts } = parsed;
  return (
    parsed.match(globalUnicast) && !specialIpv6.some((subnet) => parsed.match(subnet)) && !isIsatap(parts)
  );
}

/**
 * The address that the host of a URL spells out, in the form a socket gets to see: `[::1]` gives `::1`, and so do
 * the notations that URLs normalise (`0x7f.1`, `2130706433` and `0177.0.0.1` give `127.0.0.1`). Null for a name.
 */
export function literalAddress(host: string): string | null {
  if (isIP(host) !== 0) return host;
  if (!URL.canParse(`https://${host}/`)) return null;
  const { hostname } = new URL(`https://${host}/`);
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return isIPv4(hostname) ? hostname : null;
}

/** Ranges that IANA's registry calls special and the library does not. */
const specialIpv4 = ['192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.175.48.0/24'].map((cidr) =>
  ipaddr.IPv4.parseCIDR(cidr),
);

/** The only part of IPv6 that is assigned for global unicast, and the exceptions in IANA's registry. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map(
  (cidr) => ipaddr.IPv6.parseCIDR(cidr),
);

/** ISATAP of RFC 5214 hides an IPv4 address in the lower half of any prefix, behind 0:5efe or 200:5efe. */
function isIsatap(parts: number[]): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;
}
