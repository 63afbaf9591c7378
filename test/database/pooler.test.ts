import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase, operatorKey, sharedEnv } from '../harness.ts';
import { skipPgBouncer, startPgBouncer } from '../pgbouncer.ts';
import { spawnService } from '../process.ts';
import { startProxy } from '../proxy.ts';
import { startReceiver } from '../receiver.ts';

test.skipIf(skipPgBouncer)(
  'behind PgBouncer in transaction mode the service starts, answers every request and delivers',
  async () => {
    const url = await createDatabase({ isEmpty: true });
    const name = /\/(test_\w+)\?/.exec(url)?.[1];
    const proxy = await startProxy();
    const bouncer = await startPgBouncer(proxy.port);
    const receiver = await startReceiver();
    const dataDir = await mkdtemp(join(tmpdir(), 'ps-pooled-'));
    const service = await spawnService({
      ...sharedEnv(`postgresql://postgres@127.0.0.1:${bouncer.port}/${name}`),
      DATABASE_DIRECT_URL: url,
      DATABASE_PREPARE: 'false',
      DATA_DIR: dataDir,
      WEBHOOK_ALLOW_PRIVATE: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    });
    const { call } = service;
    const made = await call('POST', '/admin/v1/organizations', {
      key: operatorKey,
      body: { name: 'O', plan: 'enterprise' },
    });
    const { key } = (
      await call('POST', `/admin/v1/organizations/${made.body.data.id}/keys`, {
        key: operatorKey,
        body: { name: 'k', scopes: ['admin', 'ingest'] },
      })
    ).body.data;

    // More concurrent requests than the pooler has connections, so that a session's statements run on different servers.
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        i % 3 === 0
          ? call('POST', '/ingest/v1/partners', {
              key,
              body: [{ external_id: `p${i}`, name: `P${i}`, type: 'gsi', tier: 1 }],
            })
          : call('GET', i % 3 === 1 ? '/v1/signals' : '/v1/partners', { key }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200));

    const webhook = await call('POST', '/v1/webhooks', {
      key,
      body: { url: receiver.url, events: ['signal.created'] },
    });
    await call('POST', `/v1/webhooks/${webhook.body.data.id}/test`, { key });
    await expect.poll(() => receiver.received.length).toBe(1);

    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.output()).not.toMatch(/"level":(50|60)/);
    await receiver.close();
    await bouncer.stop();
    await proxy.close();
    await rm(dataDir, { recursive: true, force: true });
  },
);
