import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Operator } from '../../config.ts';
import type { KeyId, OrganizationId } from '../../contract/ids.ts';
import { hashKey, isKeyShaped } from '../../domain/api-keys.ts';
import type { DatabaseListener } from '../../store/db/database-listener.ts';
import type { Db } from '../../store/db/db.ts';
import { findKeyOwner, type KeyOwner, touchKeys } from '../../store/keys/api-keys.ts';

/**
 * A revoked key must be refused everywhere within a second. A look-up stays cached for this long, counted from its start,
 * while the process cannot be sure to receive revocations.
 */
const rememberMs = 750;
const touchEveryMs = 10_000;

export type KeyDirectory = {
  find(key: string): Promise<KeyOwner | undefined>;
  used(owner: KeyOwner): void;
  /** For this process, after it changed a key: the others are notified, which takes a moment. */
  forget(): void;
  close(): Promise<void>;
};

type Entry = {
  owner: Promise<KeyOwner | undefined>;
  /** Valid until then in any case. */
  until: number;
  /** Valid until then while the listener is up to date: until the key expires, and never for an unknown key. */
  atMost: number;
};

export function createKeyDirectory(db: Db, databaseListener: DatabaseListener, log: Logger): KeyDirectory {
  const known = new LRUCache<string, Entry>({ max: 10_000 });
  const forget = () => known.clear();
  databaseListener.on('keys', forget);
  const uses = new Map<KeyId, { orgId: OrganizationId; keyId: KeyId; at: Date }>();
  const timer = setInterval(flush, touchEveryMs);
  timer.unref();

  async function flush(): Promise<void> {
    const batch = [...uses.values()];
    uses.clear();
    if (batch.length === 0) return;
    await touchKeys(db.queue, batch).catch((err) => log.warn({ err }, 'last_used_at could not be written'));
  }

  return {
    async find(key) {
      if (!isKeyShaped(key)) return undefined;
      const hash = hashKey(key);
      const name = hash.toString('base64');
      const now = performance.now();
      const hit = known.get(name);
      if (hit && (hit.until > now || (hit.atMost > now && databaseListener.isUpToDate()))) return hit.owner;
      const found = findKeyOwner(db.global, hash);
      const owner = found.then((row) => row?.owner);
      const entry: Entry = { owner, until: now + rememberMs, atMost: 0 };
      known.set(name, entry);
      found.then(
        (row) => {
          if (!row) return;
          entry.atMost = now + (row.ms_left ?? Number.POSITIVE_INFINITY);
          entry.until = Math.min(entry.until, entry.atMost);
        },
        () => known.delete(name),
      );
      return owner;
    },
    used(owner) {
      uses.set(owner.key_id, { orgId: owner.org_id, keyId: owner.key_id, at: new Date() });
    },
    forget,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Compares with every operator, so that the duration does not reveal which keys exist. */
export function findOperator(operators: readonly Operator[], key: string): Operator | undefined {
  const given = digest(key);
  let found: Operator | undefined;
  for (const operator of operators) {
    if (timingSafeEqual(digest(operator.key), given)) found = operator;
  }
  return found;
}

export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
