import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { readConfig } from '../src/config.ts';
import { createLogger } from '../src/http/server/log.ts';
import { startService } from '../src/service.ts';
import { connect, type Pool } from '../src/store/db/connection.ts';
import type { Db } from '../src/store/db/db.ts';
import type { Scope } from '../src/vocabulary.ts';
import { on } from './citus/cluster.ts';
import { checkConformance } from './conformance.ts';
import { dbTo } from './db.ts';

export const operatorKey = 'operator-key-for-the-tests';
const encryptionKeys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the service sent, and the test says what it should be
export type Answer = { status: number; headers: Record<string, string | undefined>; body: any; text: string };

export type CallOptions = {
  key?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  raw?: string | Buffer;
  /** Parts that the OpenAPI document does not describe may be ignored instead of refused. */
  isJunk?: boolean;
};

export type TestService = {
  url: string;
  ca: string;
  databaseUrl: string;
  /** Direct database access, for what no route shows. */
  pool: Pool;
  /** The same with the service's own statements. */
  db: Db;
  logs: string[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  operator(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  organization(options?: { plan?: 'standard' | 'enterprise'; scopes?: Scope[] }): Promise<TestOrganization>;
  close(): Promise<void>;
};

export type TestOrganization = {
  orgId: string;
  key: string;
  keyId: string;
  /** Another key with the same scopes, always the same one, for what one key may not do alone. */
  second(): Promise<{ key: string; id: string }>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  get(path: string): Promise<Answer>;
};

/** The real service over HTTPS, in this process, with its own database (or that of `databaseUrl`). */
export async function startTestService(
  env: Record<string, string> = {},
  databaseUrl?: string,
): Promise<TestService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ps-svc-'));
  const url = databaseUrl ?? (await createDatabase());
  const logs: string[] = [];
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: url,
    OPERATOR_KEY: operatorKey,
    ENCRYPTION_KEYS: encryptionKeys,
    ...env,
  });
  const service = await startService(
    config,
    createLogger(config.logLevel, { write: (line) => void logs.push(line) }),
    undefined,
    { checkWrites: true },
  );
  const ca = service.caFile ? await readFile(service.caFile, 'utf8') : '';
  const pool = testPool(url);
  const { db, close } = testDb(url);
  const call = caller(service.url, ca);
  const operator: TestService['operator'] = (method, path, body, headers) =>
    call(method, path, {
      key: operatorKey,
      body,
      // Tests that PUT replace any version, unless they set the header.
      headers: headers ?? (method === 'PUT' ? { 'if-match': '*' } : {}),
    });

  return {
    url: service.url,
    ca,
    databaseUrl: url,
    pool,
    db,
    logs,
    call,
    operator,
    async organization({ plan = 'enterprise', scopes = ['admin', 'ingest'] } = {}) {
      const made = await operator('POST', '/admin/v1/organizations', { name: 'Test organization', plan });
      const orgId = made.body.data.id as string;
      const issue = async (name: string) => {
        const issued = await operator('POST', `/admin/v1/organizations/${orgId}/keys`, { name, scopes });
        return issued.body.data as { key: string; id: string };
      };
      const { key, id } = await issue('test');
      let second: Promise<{ key: string; id: string }> | undefined;
      return {
        orgId,
        key,
        keyId: id,
        second() {
          second ??= issue('second');
          return second;
        },
        call: (method, path, options) => call(method, path, { key, ...options }),
        get: (path) => call('GET', path, { key }),
      };
    },
    async close() {
      await Promise.all([pool.end(), close()]);
      await service.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Direct database access; on Citus it may span organizations. */
export function testPool(url: string, max = 4): Pool {
  return connect({ ...serverAt(url), max }, () => {});
}

function serverAt(url: string) {
  const citus = inject('nodes').length > 0;
  const options = '-c citus.multi_task_query_log_level=off -c plan_cache_mode=force_custom_plan';
  return { connectionString: url, citus, ...(citus && { options }) };
}

export function testDb(url: string): ReturnType<typeof dbTo> {
  return dbTo(serverAt(url));
}

/** Settings with which several processes form one installation, without a load balancer to wait for. */
export function sharedEnv(databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    OPERATOR_KEY: operatorKey,
    ENCRYPTION_KEYS: encryptionKeys,
    SHUTDOWN_DELAY_SECONDS: '0',
  };
}

/** Migrated by default; or empty, or a copy of another one. */
export async function createDatabase({
  isEmpty = false,
  template = inject(isEmpty ? 'empty' : 'migrated'),
} = {}): Promise<string> {
  const { host, port, user } = inject('postgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const postgres = inject('postgres');
  const nodes = inject('nodes').map((node) => ({ ...postgres, ...node }));
  await on(nodes.length > 0 ? nodes : [postgres], (client) =>
    client.query(`create database ${name} template ${template}`),
  );
  return `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}&port=${port}`;
}

/** Uses HTTPS, trusts only the service's own CA, and checks every response against the OpenAPI document. */
export function caller(url: string, ca: string): TestService['call'] {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 100 });
  return async (method, path, { key, body, headers: given = {}, raw, isJunk } = {}) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
      ...given,
    };
    const answer = await new Promise<Answer>((resolve, reject) => {
      const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const json = response.headers['content-type']?.includes('json') ?? false;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string | undefined>,
            body: json && text !== '' ? JSON.parse(text) : undefined,
            text,
          });
        });
      });
      sent.on('error', reject);
      sent.end(payload);
    });
    checkConformance({ method, path, headers, payload, isJunk }, answer);
    return answer;
  };
}
