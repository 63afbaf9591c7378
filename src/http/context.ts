import type { Logger } from 'pino';
import type { Config, Operator } from '../config.ts';
import type { Pool } from '../store/connection.ts';
import type { Keyring } from '../store/keyring.ts';
import type { Queryable } from '../store/tx.ts';
import type { KeyDirectory } from './auth.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { LimitStore } from './limits/limit.ts';
import type { Metrics } from './metrics.ts';
import type { Turns } from './turns.ts';

/** What a request can reach; made once, in main. */
export type Context = {
  pool: Pool;
  /** The same database, for what reads a page at most: nothing that could keep others waiting. */
  pages: Queryable;
  kept: KeptAnswers;
  /** For what takes the lock of an organization's facts, and may wait for it: it never takes a reader's connection. */
  batchPool: Pool;
  turns: Turns;
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
  /** Tells the workers, after a commit, that something may be due. */
  hint: () => void;
  /** Throws where nothing can be written for now: the disk of the embedded database is almost full. */
  checkWritable: () => void;
  /** Whether requests should come here: the database can be used, and the service is not shutting down. */
  isReady: () => boolean;
};
