import type { Overlap } from '../../src/client/types.ts';
import { matchKindTable } from '../../src/vocabulary.ts';

/** "Same domain (acme.example), 95% sure" */
export function matchWords({
  matched_by,
  key,
  confidence,
}: Pick<Overlap, 'matched_by' | 'key' | 'confidence'>) {
  return `Same ${matchKindTable[matched_by].words} (${sharedValue(key)}), ${Math.round(confidence * 100)}% sure`;
}

/** `domain:acme.example` reads "acme.example", and `registry:NO:918273645` reads "918273645, Norway". */
export function sharedValue(key: string): string {
  const [kind, ...rest] = key.split(':');
  if (kind === 'domain') return rest.join(':');
  const [country = '', ...value] = rest;
  return `${value.join(':')}, ${countryNames.of(country)}`;
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' });
