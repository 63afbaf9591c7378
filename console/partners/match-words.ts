import type { Overlap } from '../../src/client/types.ts';
import { matchKindTable } from '../../src/vocabulary.ts';
import { countryName } from '../ui/format/words.ts';

/** "Same domain (acme.example)" */
export function matchWords({ matched_by, key }: Pick<Overlap, 'matched_by' | 'key'>): string {
  if (matched_by === 'confirmed') return 'Confirmed by a person';
  return `Same ${matchKindTable[matched_by].words} (${sharedValue(key)})`;
}

/**
 * `domain:acme.example` reads "acme.example", and `registry:NO:918273645` reads "918273645, Norway". The name in a key is
 * written for comparing, not for reading.
 */
function sharedValue(key: string): string {
  const [kind, ...rest] = key.split(':');
  if (kind === 'domain') return rest.join(':');
  const [country = '', ...value] = rest;
  const shared = kind === 'name' ? [] : [value.join(':')];
  return [...shared, countryName(country)].join(', ');
}
