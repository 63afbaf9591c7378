import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { OrganizationId } from '../src/contract/ids.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/store/db/embedded/postgres.ts';
import { startMain } from '../test/main-process.ts';
import { cpuSeconds, familyOf } from './cpu.ts';

export const operatorKey = 'operator-key-of-the-benchmark';
export const encryptionKey = { id: 'k1', secret: Buffer.alloc(32, 1) };
export const encryptionKeys = `${encryptionKey.id}:${encryptionKey.secret.toString('base64')}`;

/** A process of the built service, with its own PostgreSQL. */
export type Installation = {
  dir: string;
  url: string;
  ca: string;
  pid: number;
  connection: EmbeddedPostgres['connection'];
  databaseUrl: string;
  /** CPU seconds of all PostgreSQL processes so far. */
  postgresSeconds(): number;
  /** Returns the `data` of the response; throws if it is not a 2xx. */
  send(path: string, key: string, body: unknown): Promise<unknown>;
  sendLines(path: string, key: string, rows: unknown[]): Promise<unknown>;
  /** Creates an organization and returns its key. */
  newOrganization(scopes: string[]): Promise<string>;
  organizationWithKey(scopes: string[]): Promise<{ orgId: OrganizationId; key: string }>;
  stop(): Promise<void>;
};

export async function startInstallation(env: Record<string, string> = {}): Promise<Installation> {
  const dir = await mkdtemp(join(tmpdir(), 'partner-signals-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir: dir, log: () => {} });
  const { host, port, user, database } = postgres.connection;
  const postmaster = Number((await readFile(join(host, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const databaseUrl = `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
  const settings = {
    DATA_DIR: join(dir, 'service'),
    DATABASE_URL: databaseUrl,
    OPERATOR_KEY: operatorKey,
    ENCRYPTION_KEYS: encryptionKeys,
    ...env,
  };
  const service = startMain(settings, { keepsOutput: false });
  const url = await service.listening;
  const ca = await readFile(join(dir, 'service/tls/ca.pem'), 'utf8');
  const agent = new Agent({ ca, keepAlive: true });

  async function post(path: string, key: string, type: string, body: Iterable<string>): Promise<unknown> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type };
    const sent = request(`${url}${path}`, { method: 'POST', agent, headers });
    const [[response]] = await Promise.all([once(sent, 'response'), pipeline(Readable.from(body), sent)]);
    let text = '';
    for await (const chunk of response) text += chunk;
    if (response.statusCode >= 300) throw new Error(text);
    return JSON.parse(text).data;
  }
  const send = (path: string, key: string, body: unknown) =>
    post(path, key, 'application/json', [JSON.stringify(body)]);

  async function organizationWithKey(scopes: string[]) {
    const organization = { name: 'Benchmark', plan: 'enterprise' };
    const { id } = (await send('/admin/v1/organizations', operatorKey, organization)) as {
      id: OrganizationId;
    };
    const path = `/admin/v1/organizations/${id}/keys`;
    const { key } = (await send(path, operatorKey, { name: 'bench', scopes })) as { key: string };
    return { orgId: id, key };
  }

  return {
    dir,
    url,
    ca,
    pid: service.child.pid as number,
    connection: postgres.connection,
    databaseUrl,
    postgresSeconds: () => cpuSeconds(familyOf(postmaster)),
    send,
    sendLines: (path, key, rows) =>
      post(
        path,
        key,
        'application/x-ndjson',
        rows.map((row) => `${JSON.stringify(row)}\n`),
      ),
    newOrganization: async (scopes) => (await organizationWithKey(scopes)).key,
    organizationWithKey,
    async stop() {
      agent.destroy();
      service.child.kill('SIGTERM');
      await service.ended;
      await postgres.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
