import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/**
 * The encryption keys of the installation. The first one encrypts and signs; all of them decrypt and verify, so that a key
 * can be rotated without making old data unreadable.
 */
export type Keyring = {
  /** `context` binds the ciphertext to its row: it cannot be decrypted in another one. */
  seal(plaintext: string, context: string): Buffer;
  open(sealed: Buffer, context: string): string;
  signCursor(data: string): { keyId: string; mac: Buffer };
  verifyCursor(keyId: string, data: string, mac: Buffer): boolean;
};

export function createKeyring(keys: { id: string; secret: Buffer }[]): Keyring {
  const [first] = keys;
  if (!first) throw new Error('a keyring needs a key');
  const deriveAll = (purpose: string) =>
    new Map(
      keys.map(({ id, secret }) => [
        id,
        Buffer.from(hkdfSync('sha256', secret, '', `partner-signals ${purpose}`, 32)),
      ]),
    );
  const [encryptionKeys, cursorKeys] = [deriveAll('encrypt'), deriveAll('cursor')];

  function mac(keyId: string, data: string): Buffer | undefined {
    const key = cursorKeys.get(keyId);
    return key && createHmac('sha256', key).update(data).digest();
  }

  return {
    seal(plaintext, context) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', encryptionKeys.get(first.id) as Buffer, iv);
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      const id = Buffer.from(first.id);
      return Buffer.concat([Buffer.of(id.length), id, iv, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      const start = 1 + (sealed[0] ?? 0);
      const id = sealed.subarray(1, start).toString();
      const key = encryptionKeys.get(id);
      if (!key) throw new Error(`nothing in ENCRYPTION_KEYS is named ${JSON.stringify(id)}`);
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(start, start + 12), {
        authTagLength: 16,
      });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(start + 12, start + 28));
      return Buffer.concat([decipher.update(sealed.subarray(start + 28)), decipher.final()]).toString('utf8');
    },
    signCursor(data) {
      return { keyId: first.id, mac: mac(first.id, data) as Buffer };
    },
    verifyCursor(keyId, data, given) {
      const expected = mac(keyId, data);
      return expected !== undefined && expected.length === given.length && timingSafeEqual(expected, given);
    },
  };
}
