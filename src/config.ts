import { isIP } from 'node:net';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import type { Server } from './store/db/connection.ts';
import { DatabaseUrlError, parseDatabaseUrl } from './store/db/database-url.ts';

export type EncryptionKey = { id: string; secret: Buffer };
export type Operator = { name: string; key: string };

type Env = Record<string, string | undefined>;

export type Config = {
  host: string;
  port: number;
  dataDir: string;
  /** Null for the embedded database. `direct` bypasses a pooler, for what needs a session: migrations and LISTEN. */
  database: { servers: Server[]; direct: Server[] } | null;
  /** Used on Citus when the tables are first distributed. */
  citusShards: number;
  redisUrl: string | null;
  operators: Operator[] | null;
  encryptionKeys: EncryptionKey[] | null;
  tls: { certFile: string; keyFile: string } | null;
  trustProxy: string[];
  revokeExposedKeys: boolean;
  webhookAllowPrivate: boolean;
  webhookCaFile: string | null;
  logFormat: (typeof logFormats)[number];
  logLevel: (typeof logLevels)[number];
  role: (typeof roles)[number];
  demo: boolean;
  /** How long a stopping process continues to accept requests. */
  shutdownDelayMs: number;
};

const logFormats = ['text', 'json'] as const;
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const roles = ['all', 'api', 'worker'] as const;

/** Its message is one line for the person who starts the service: the variable, and what it accepts. */
export class ConfigError extends Error {}

export function readConfig(env: Env, isTerminal = false): Config {
  const database = databaseServers(env);
  const operators = operatorKeys(env);
  const keys = text(env, 'ENCRYPTION_KEYS');
  const encryptionKeys = keys === undefined ? null : parseEncryptionKeys('ENCRYPTION_KEYS', keys);
  if (database && !operators) {
    throw new ConfigError(
      'OPERATOR_KEY (or OPERATOR_KEYS) must be set together with DATABASE_URL: every process needs the same one. Generate one with: openssl rand -hex 24',
    );
  }
  if (database && !encryptionKeys) {
    throw new ConfigError(
      'ENCRYPTION_KEYS must be set together with DATABASE_URL: every process needs the same ones. Generate one with: echo "k1:$(openssl rand -base64 32)"',
    );
  }
  const logFormat = oneOf(env, 'LOG_FORMAT', logFormats, isTerminal ? 'text' : 'json');
  const certFile = text(env, 'TLS_CERT_FILE');
  const keyFile = text(env, 'TLS_KEY_FILE');
  if (!certFile !== !keyFile) {
    throw new ConfigError(
      `Set ${certFile ? 'TLS_KEY_FILE' : 'TLS_CERT_FILE'} too: TLS_CERT_FILE and TLS_KEY_FILE go together.`,
    );
  }
  return {
    host: text(env, 'HOST') ?? '127.0.0.1',
    port: integer(env, 'PORT', 8443, 0, 65_535),
    citusShards: integer(env, 'CITUS_SHARDS', 32, 1, 99_999),
    dataDir: resolve(text(env, 'DATA_DIR') ?? './data'),
    database,
    redisUrl: redisUrl(env),
    operators,
    encryptionKeys,
    tls: certFile && keyFile ? { certFile, keyFile } : null,
    trustProxy: cidrs(env, 'TRUST_PROXY'),
    revokeExposedKeys: boolean(env, 'REVOKE_EXPOSED_KEYS', false),
    webhookAllowPrivate: boolean(env, 'WEBHOOK_ALLOW_PRIVATE', false),
    webhookCaFile: text(env, 'WEBHOOK_CA_FILE') ?? null,
    logFormat,
    // A line for every request would push what a person is told at the start out of sight.
    logLevel: oneOf(env, 'LOG_LEVEL', logLevels, logFormat === 'text' ? 'warn' : 'info'),
    role: oneOf(env, 'ROLE', roles, 'all'),
    demo: boolean(env, 'DEMO', database === null),
    // Only processes that share a database can take over from each other.
    shutdownDelayMs: integer(env, 'SHUTDOWN_DELAY_SECONDS', database ? 5 : 0, 0, 600) * 1000,
  };
}

/** With an unknown time zone, Node.js uses UTC without a word. */
export function timeZoneWarning(zone: string | undefined): string | null {
  if (!zone || /^:?(etc\/)?(utc|gmt|uct|zulu|universal|greenwich)[+-]?0*$/i.test(zone)) return null;
  const used: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (used && !/^(UTC|Etc\/Unknown)$/.test(used)) return null;
  return `TZ=${zone} is not a time zone that Node.js knows, so times are in UTC. Set TZ to a name such as Europe/Berlin, or remove it.`;
}

/** The format of ENCRYPTION_KEYS and of the key file in DATA_DIR. */
export function parseEncryptionKeys(name: string, value: string): EncryptionKey[] {
  const keys = value.split(',').map((part) => {
    const [, id, encoded] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})\s*$/.exec(part) ?? [];
    const secret = Buffer.from(encoded ?? '', 'base64');
    if (!id || secret.length !== 32) {
      throw new ConfigError(
        `${name} must be id:base64 pairs separated by commas, each of 32 bytes, e.g. k1:$(openssl rand -base64 32)`,
      );
    }
    return { id, secret };
  });
  if (new Set(keys.map((key) => key.id)).size !== keys.length)
    throw new ConfigError(`${name} contains the same id twice.`);
  return keys;
}

function operatorKeys(env: Env): Operator[] | null {
  const single = text(env, 'OPERATOR_KEY');
  const several = text(env, 'OPERATOR_KEYS');
  if (single && several) throw new ConfigError('Set OPERATOR_KEY or OPERATOR_KEYS, not both.');
  if (single) return [{ name: 'operator', key: operatorKey('OPERATOR_KEY', single) }];
  if (!several) return null;
  const operators = several.split(',').map((part) => {
    const [, name, key] = /^\s*([A-Za-z0-9._@-]{1,64}):(\S+)\s*$/.exec(part) ?? [];
    if (!name || !key)
      throw new ConfigError('OPERATOR_KEYS must be name:key pairs separated by commas, e.g. ada:…,grace:…');
    return { name, key: operatorKey('OPERATOR_KEYS', key) };
  });
  if (new Set(operators.map((operator) => operator.name)).size !== operators.length) {
    throw new ConfigError('OPERATOR_KEYS contains the same operator twice.');
  }
  return operators;
}

function operatorKey(name: string, key: string): string {
  if (!/^[\x21-\x7e]{16,256}$/.test(key)) {
    throw new ConfigError(
      `${name}: a key must have 16 to 256 printable characters without spaces. Generate one with: openssl rand -hex 24`,
    );
  }
  return key;
}

function text(env: Env, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

function integer(env: Env, name: string, fallback: number, min: number, max: number): number {
  const value = text(env, name);
  if (value === undefined) return fallback;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max))
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}.`);
  return number;
}

function boolean(env: Env, name: string, fallback: boolean): boolean {
  return oneOf(env, name, ['true', 'false'] as const, fallback ? 'true' : 'false') === 'true';
}

function oneOf<T extends string>(env: Env, name: string, values: readonly T[], fallback: T): T {
  const value = text(env, name) ?? fallback;
  const found = values.find((candidate) => candidate === value);
  if (!found) throw new ConfigError(`${name} must be one of: ${values.join(', ')}.`);
  return found;
}

function redisUrl(env: Env): string | null {
  const value = text(env, 'REDIS_URL') ?? null;
  if (value !== null && !/^rediss?:\/\//.test(value))
    throw new ConfigError('REDIS_URL must be a URL that begins with redis:// or rediss://');
  return value;
}

function databaseServers(env: Env): Config['database'] {
  const servers = (name: string) => {
    const value = text(env, name);
    try {
      return value === undefined ? null : parseDatabaseUrl(value);
    } catch (error) {
      throw error instanceof DatabaseUrlError ? new ConfigError(`${name} ${error.message}.`) : error;
    }
  };
  const main = servers('DATABASE_URL');
  const direct = servers('DATABASE_DIRECT_URL');
  const prepare = boolean(env, 'DATABASE_PREPARE', true);
  if (!main && direct)
    throw new ConfigError('DATABASE_DIRECT_URL is set without DATABASE_URL. Set both, or neither.');
  if (!main) return null;
  return {
    servers: main.map((server) => ({ ...server, pooled: direct !== null, prepare })),
    direct: direct ?? main,
  };
}

function cidrs(env: Env, name: string): string[] {
  const list = (text(env, name) ?? '').split(/\s*,\s*/).filter(Boolean);
  for (const cidr of list) {
    const [address = '', bits] = cidr.split('/');
    if (!isIP(address) || (bits !== undefined && !ipaddr.isValidCIDR(cidr)))
      throw new ConfigError(
        `${name} must be addresses or ranges separated by commas, e.g. 10.0.0.0/8,::1 (not: ${cidr})`,
      );
  }
  return list;
}
