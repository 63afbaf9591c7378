import { Agent, fetch as fetchWith } from 'undici';

/** A fetch that trusts the authority of a test's service, which the global one cannot be told to. */
export function trustingFetch(ca: string): typeof fetch {
  const dispatcher = new Agent({ connect: { ca } });
  return ((input: string, init: object) => fetchWith(input, { ...init, dispatcher })) as typeof fetch;
}
