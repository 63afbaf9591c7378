import { lookup, Resolver } from 'node:dns/promises';

/** All addresses of a name, at least one; rejects when it has none. */
export type LookupName = (name: string) => Promise<string[]>;

/**
 * Asks the name servers itself. The operating system's look-up runs on libuv's threads, two at a time by default, and
 * cannot be cut short: a few names whose servers are silent would hold up the deliveries to everybody else.
 */
export async function lookupInDns(name: string, servers: string[] = []): Promise<string[]> {
  // RFC 6761: these are the machine itself, whatever a name server says or does not say.
  if (/(^|\.)localhost\.?$/i.test(name)) return ['127.0.0.1', '::1'];
  // Made for each look-up, so that it follows changes of the machine's name servers.
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [ipv4, ipv6].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
  if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
  return addresses;
}

/** Asks the operating system, which also knows the names of its hosts file. */
export async function lookupInSystem(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
}
