// Events, webhooks and receivers for the benchmarks of deliveries. A worker runs in one process, PostgreSQL next to it, and
// the receivers in a third process, each on its own port with TLS.
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseEncryptionKeys } from '../src/config.ts';
import { type EventId, newId, type OrganizationId, type WebhookId } from '../src/contract/ids.ts';
import { groupBy } from '../src/contract/values/group-by.ts';
import { createOrganization } from '../src/domain/organizations.ts';
import { registerWebhook } from '../src/domain/webhooks.ts';
import { loadLocalCertificate } from '../src/http/server/local-authority.ts';
import { connect, type Pool } from '../src/store/db/connection.ts';
import type { Db } from '../src/store/db/db.ts';
import { addDeliveries } from '../src/store/delivery/deliveries.ts';
import { insertEvents } from '../src/store/delivery/events.ts';
import { createKeyring } from '../src/store/keys/keyring.ts';
import { dbTo } from '../test/db.ts';
import { encryptionKeys, type Installation, startInstallation } from './installation.ts';
import type { Order } from './receivers.ts';

type Target = { org_id: OrganizationId; webhook_id: WebhookId; url: string };
export type Event = { id: EventId; target: Target };
/** Returns the time from which the events count. */
export type Send = (events: Event[]) => Promise<number>;
export type Bench = {
  installation: Installation;
  pool: Pool;
  db: Db;
  receivers: ChildProcess;
  /** The CA of the receivers' certificate. */
  caFile: string;
  close(): Promise<void>;
};

const webhooksPerOrganization = 10;
const runner = fileURLToPath(new URL('../scripts/run-typescript.mjs', import.meta.url));
/** About as long as a signal. */
export const data = { id: newId('sig'), type: 'overlap', recommended_action: 'x'.repeat(600) };

export async function openBench(): Promise<Bench> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-delivery-'));
  const { caFile } = await loadLocalCertificate({ dir, now: new Date() });
  const installation = await startInstallation({
    ROLE: 'worker',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_CA_FILE: caFile,
  });
  const pool = connect({ ...installation.connection, max: 2 }, () => {});
  const { db, close: closeDb } = dbTo(installation.connection);
  const receivers = fork(runner, [fileURLToPath(new URL('receivers.ts', import.meta.url)), dir]);
  async function close(): Promise<void> {
    receivers.kill('SIGKILL');
    await Promise.all([pool.end(), closeDb()]);
    await installation.stop();
    await rm(dir, { recursive: true, force: true });
  }
  try {
    const ended = once(receivers, 'exit').then(() => {
      throw new Error('The receivers of the benchmark ended.');
    });
    await Promise.race([ended, once(receivers, 'message')]);
  } catch (error) {
    await close();
    throw error;
  }
  return { installation, pool, db, receivers, caFile, close };
}

/** Milliseconds until the last of these has arrived. */
export async function arrive({ receivers }: Bench, events: Event[], send: Send): Promise<number> {
  await order(receivers, { expect: events.map(({ id }) => id) });
  const arrived = once(receivers, 'message', { signal: AbortSignal.timeout(300_000) });
  arrived.catch(() => {}); // in case sending fails first
  const sentAt = await send(events);
  const [times] = (await arrived.catch(() => {
    throw new Error('Not all events arrived within five minutes.');
  })) as [number[]];
  return (times.at(-1) ?? Number.NaN) - sentAt;
}

/** Like ingest, one transaction per organization; counted from the last commit. */
export async function commitAll({ db }: Bench, events: Event[]): Promise<number> {
  const byOrganization = groupBy(events, ({ target }) => target.org_id);
  await Promise.all(
    [...byOrganization].map(([orgId, theirs]) =>
      db.write(orgId, async (tx) => {
        const rows = theirs.map(({ id }) => ({ id, kind: 'signal.created' as const, data }));
        await insertEvents(tx, orgId, rows, true);
        const deliveries = theirs.map(({ id, target: { webhook_id } }) => ({
          id: newId('dlv'),
          webhook_id,
          event_id: id,
        }));
        addDeliveries(tx, orgId, deliveries);
      }),
    ),
  );
  return nowMs();
}

export function makeEvents(count: number, targets: Target[]): Event[] {
  return Array.from({ length: count }, (_, index) => ({
    id: newId('evt'),
    target: targets[index % targets.length] as Target,
  }));
}

export async function subscribe({ db, receivers }: Bench, open: number, hanging = 0): Promise<Target[]> {
  const keyring = createKeyring(parseEncryptionKeys('ENCRYPTION_KEYS', encryptionKeys));
  const ports = (await order(receivers, { open, hanging })) as number[];
  const targets: Target[] = [];
  let org_id: OrganizationId | undefined;
  for (const [index, port] of ports.entries()) {
    if (!org_id || index % webhooksPerOrganization === 0) {
      const fields = { name: 'Benchmark', plan: 'enterprise' } as const;
      const id = newId('org');
      await db.write(id, (tx) => createOrganization(tx, id, fields, 'bench'));
      org_id = id;
    }
    const orgId = org_id;
    const url = `https://localhost:${port}/`;
    const fields = { url, events: ['signal.created' as const], secret: randomUUID() };
    const { id } = await db.write(orgId, (tx) => registerWebhook(tx, orgId, fields, keyring));
    targets.push({ org_id, webhook_id: id, url });
  }
  return targets;
}

async function order(receivers: ChildProcess, one: Order): Promise<unknown> {
  receivers.send(one);
  const [answer] = await once(receivers, 'message');
  return answer;
}

export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
