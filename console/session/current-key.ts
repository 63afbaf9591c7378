import type { Client } from '../../src/client/client.ts';
import type { OwnKey } from '../../src/client/types.ts';
import { type Scope, scopeGrants } from '../../src/vocabulary.ts';
import { record } from './queries.ts';

/** The key of this session. What it can do never changes. */
export function currentKey(client: Client) {
  return { ...record(['key'], (call) => client.me(call)), staleTime: Number.POSITIVE_INFINITY };
}

export function keyGrants({ scopes }: Pick<OwnKey, 'scopes'>, scope: Scope): boolean {
  return scopes.some((held) => scopeGrants[held].some((granted) => granted === scope));
}
