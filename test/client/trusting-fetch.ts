import { Agent, fetch as fetchWith } from 'undici';

/** A fetch that trusts the CA of a test service, which the global fetch cannot. */
export function trustingFetch(ca: string): typeof fetch {
  const dispatcher = new Agent({ connect: { ca } });
  return ((input: string, init: object) => fetchWith(input, { ...init, dispatcher })) as typeof fetch;
}
