import { queryOptions } from '@tanstack/react-query';
import type { Client } from '../../src/client/client.ts';
import type { OwnKey } from '../../src/client/types.ts';
import { type Scope, scopeGrants } from '../../src/vocabulary.ts';

export type CurrentKey = OwnKey;

/** The key of this session. What it can do never changes. */
export function currentKey(client: Client) {
  return queryOptions({
    queryKey: ['key'],
    queryFn: async ({ signal }) => (await client.key({ signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function grants({ scopes }: Pick<CurrentKey, 'scopes'>, scope: Scope): boolean {
  return scopes.some((held) => scopeGrants[held].some((granted) => granted === scope));
}
