import { randomInt } from 'node:crypto';
import type { Id, Prefix } from './id-prefixes.ts';

export type OrganizationId = Id<'org'>;
export type KeyId = Id<'key'>;
export type PartnerId = Id<'prt'>;
export type AccountId = Id<'acc'>;
export type OpportunityId = Id<'opp'>;
export type SignalId = Id<'sig'>;
export type ActivityId = Id<'act'>;
export type AttributionId = Id<'atr'>;
export type EvidenceId = Id<'evd'>;
export type DisputeId = Id<'dsp'>;
export type EventId = Id<'evt'>;
export type WebhookId = Id<'whk'>;
export type DeliveryId = Id<'dlv'>;
export type RequestId = Id<'req'>;
export type SuggestionId = Id<'sug'>;
export type DecisionId = Id<'mdc'>;

export function newId<P extends Prefix>(prefix: P): Id<P> {
  const now = Date.now();
  // Ids that this process makes sort in the order in which it makes them, also if the clock goes back for a moment.
  if (now > ms || now < ms - 10_000) {
    ms = now;
    sequence = randomInt(2 ** 33);
  } else sequence++;
  return `${prefix}_${encodeUuid(ms, sequence, randomInt(2 ** 40))}`;
}

let ms = 0;
let sequence = 0;

/**
 * A UUIDv7 in the base32 of TypeID (https://github.com/jetify-com/typeid/tree/main/spec): 48 bits of time, 34 of `sequence`,
 * 40 of `random`, and the version and variant of RFC 9562 around the first 12 bits of `sequence`.
 */
export function encodeUuid(ms: number, sequence: number, random: number): string {
  const [high, low] = [Math.floor(sequence / 2 ** 22), sequence % 2 ** 22];
  return base32(ms, 10) + base32((0x7000 + high) * 2 ** 24 + 2 * 2 ** 22 + low, 8) + base32(random, 8);
}

function base32(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32))
    text = '0123456789abcdefghjkmnpqrstvwxyz'.charAt(rest % 32) + text;
  return text;
}

/**
 * Identifiers are opaque to callers, so a malformed one is unknown, not invalid. It must not reach the database, where a NUL
 * byte is an error.
 */
export function isId<P extends Prefix>(prefix: P, value: string): value is Id<P> {
  return value.length === prefix.length + 27 && value.startsWith(`${prefix}_`) && suffix.test(value);
}

const suffix = /_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
