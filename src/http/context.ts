import type { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Config, Operator } from '../config.ts';
import type { Db } from '../store/db/db.ts';
import type { Keyring } from '../store/keys/keyring.ts';
import type { KeyDirectory } from './admission/auth.ts';
import type { LimitStore } from './admission/limits/limit.ts';
import type { Metrics } from './server/metrics.ts';

/** What a request can reach; made once, in main. */
export type Context = {
  db: Db;
  answerCache: AnswerCache;
  keyring: Keyring;
  keys: KeyDirectory;
  operators: Operator[];
  limits: LimitStore;
  log: Logger;
  metrics: Metrics;
  /** A worker answers for its health and its metrics, and for nothing else. */
  role: Config['role'];
  trustProxy: string[];
  revokeExposedKeys: boolean;
  /** A certificate that the world trusts: only then may a browser be told never to speak plain HTTP to this host. */
  publicCertificate: boolean;
  /** What is wrong with the address of a webhook, if anything. */
  checkWebhookUrl: (url: string) => Promise<string | null>;
  generateSecret: () => string;
  /** Throws where nothing can be written for now: the disk of the embedded database is almost full. */
  checkWritable: () => void;
  /** Whether requests should come here: the database can be used, and the service is not shutting down. */
  isReady: () => boolean;
};

/** The text of an answer around its `meta`, which belongs to the request. */
type CachedAnswer = { version: string; before: string; after: string; etag: string | undefined };

export type AnswerCache = LRUCache<string, CachedAnswer | 'asked once'>;
