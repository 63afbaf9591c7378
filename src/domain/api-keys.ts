import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { newId, type OrganizationId } from '../contract/ids.ts';
import type { ApiKey } from '../contract/key.ts';
import type { Tx } from '../store/db/tx.ts';
import { insertKey } from '../store/keys/api-keys.ts';
import type { Scope } from '../vocabulary.ts';

/** The only moment at which the service knows the key itself; it stores only the hash. */
export async function createKey(
  tx: Tx,
  orgId: OrganizationId,
  fields: { name: string; scopes: Scope[]; expires_at: Date | null },
  key = mintKey(),
): Promise<ApiKey & { key: string }> {
  const stored = await insertKey(tx, orgId, { id: newId('key'), hash: hashKey(key), ...fields });
  return { ...stored, key };
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const form = /^psk_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export function mintKey(): string {
  const body = Array.from({ length: 32 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `psk_${body}${checksum(body)}`;
}

/** Recognizes typos and guesses without asking the database. */
export function isKeyShaped(text: string): boolean {
  const [, body, sum] = form.exec(text) ?? [];
  return body !== undefined && sum === checksum(body);
}

export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < 6; i++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
