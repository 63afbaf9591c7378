import { BlockList, isIP, isIPv4 } from 'node:net';

/** Whether an IP address (text, any family) is one that a webhook may be sent to: globally reachable unicast, nothing special. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !specialIpv4.check(address, 'ipv4');
    case 6:
      return (
        globalUnicast.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6') && !isIsatap(address)
      );
    default:
      return false;
  }
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

/**
 * IANA's special-purpose registry for IPv4, with multicast. Blocks that it calls globally reachable (anycast of
 * protocols, AS112) are here too: no receiver of webhooks lives there.
 */
const specialIpv4 = blocks('ipv4', [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private use
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, where clouds serve credentials
  ['172.16.0.0', 12], // private use
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private use
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
]);

/**
 * The only part of IPv6 that is handed out for unicast. What lies outside needs no entry of its own: loopback, private
 * (fc00::/7), link-local, multicast, IPv4-mapped and -compatible, NAT64 (64:ff9b::/96, 64:ff9b:1::/48), 5f00::/16.
 */
const globalUnicast = blocks('ipv6', [['2000::', 3]]);

/** IANA's special-purpose registry for IPv6, as far as it lies within global unicast. */
const specialIpv6 = blocks('ipv6', [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, drone tags
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: carries an IPv4 address
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
]);

/** ISATAP of RFC 5214 hides an IPv4 address in the lower half of any prefix, behind 0:5efe or 200:5efe. */
function isIsatap(address: string): boolean {
  const { hostname } = new URL(`https://[${address}]/`);
  return /:(0|200)?:5efe:[0-9a-f]+:[0-9a-f]+\]$/.test(hostname);
}

function blocks(family: 'ipv4' | 'ipv6', subnets: [network: string, prefix: number][]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}
