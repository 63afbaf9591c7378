import type { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Config, Operator } from '../config.ts';
import type { Db } from '../store/db/db.ts';
import type { Keyring } from '../store/keys/keyring.ts';
import type { KeyDirectory } from './admission/auth.ts';
import type { LimitStore } from './admission/limits/limit.ts';
import type { Metrics } from './server/metrics.ts';

/** What handlers can use. `startService` creates it once. */
export type Context = {
  db: Db;
  answerCache: AnswerCache;
  keyring: Keyring;
  keys: KeyDirectory;
  operators: Operator[];
  limits: LimitStore;
  log: Logger;
  metrics: Metrics;
  /** A worker only answers health checks and metrics. */
  role: Config['role'];
  trustProxy: string[];
  revokeExposedKeys: boolean;
  /**
   * Whether the certificate is publicly trusted: only then may browsers be told to refuse plain HTTP for this host (HSTS).
   */
  publicCertificate: boolean;
  /** Returns what is wrong with a webhook URL, or null. */
  checkWebhookUrl: (url: string) => Promise<string | null>;
  generateSecret: () => string;
  /** Throws while nothing can be written, because the disk of the embedded database is almost full. */
  checkWritable: () => void;
  /** Whether to send requests here: the database is usable, and the service is not shutting down. */
  isReady: () => boolean;
};

/** The text of an answer around its `meta`, which belongs to the request. */
type CachedAnswer = { version: string; before: string; after: string; etag: string | undefined };

export type AnswerCache = LRUCache<string, CachedAnswer | 'asked once'>;
