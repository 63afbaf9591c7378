import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Child, freePort, startChild, until } from '../../test/faults/child.ts';
import { cpuSeconds } from '../cpu.ts';
import { sendAll } from '../reads.ts';
import type { Say } from '../section.ts';
import { type Bench, data, type Event, nowMs } from '../webhooks.ts';
import { ask, run, startAnswering } from './peer.ts';

const source = 'https://github.com/frain-dev/convoy';
const version = 'v26.7.1';
/** TypeScript, the linters and git ignore folders with this name. */
const folder = fileURLToPath(new URL(`node_modules/convoy-${version}`, import.meta.url));
const file = join(folder, 'convoy');
const tools = { git: '--version', go: 'version', 'redis-server': '--version' };

export type Sender = {
  name: string;
  /** Calls `begin` when storing the events begins, and returns the time from which their arrival counts. */
  send(events: Event[], begin: () => void): Promise<number>;
  /** CPU seconds so far, without PostgreSQL. */
  cpu(): number;
};
/** Convoy's API, and its agent, which stores events and sends them. */
type Convoy = Sender & { subscribe(targets: Event['target'][]): Promise<void>; stop(): Promise<void> };

export async function installConvoy(say: Say): Promise<void> {
  for (const [tool, argument] of Object.entries(tools)) {
    await run(tool, [argument]).catch(() => {
      throw new Error(`${tool} is not installed. Install git, go and redis-server to build and run Convoy.`);
    });
  }
  if (existsSync(file)) return;
  say(`building Convoy ${version} in bench/peers/node_modules, a few minutes`);
  if (!existsSync(folder)) await run('git', ['clone', '--depth=1', `--branch=${version}`, source, folder]);
  const env = { ...process.env, CGO_ENABLED: '0' };
  await run('go', ['build', '-o', file, './cmd'], { cwd: folder, env });
}

export async function startConvoy({ installation, caFile }: Bench): Promise<Convoy> {
  const { dir } = installation;
  const [port, agentPort, redisPort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    PORT: String(port),
    AGENT_PORT: String(agentPort),
    // The default of 100 for each process would use all of PostgreSQL's connections.
    CONVOY_DB_MAX_OPEN_CONN: '30',
    CONVOY_DB_DSN: `${installation.databaseUrl}&sslmode=disable`,
    CONVOY_REDIS_HOST: '127.0.0.1',
    CONVOY_REDIS_PORT: String(redisPort),
    SSL_CERT_FILE: caFile,
    CONVOY_DISPATCHER_ALLOW_LIST: '127.0.0.0/8',
    CONVOY_JWT_SECRET: 'secret-of-the-benchmark',
    CONVOY_JWT_REFRESH_SECRET: 'secret-of-the-benchmark',
    CONVOY_NATIVE_REALM_ENABLED: 'true',
    CONVOY_ANALYTICS_ENABLED: 'false',
  };
  const children: Child[] = [];
  async function stop(): Promise<void> {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(({ ended }) => ended));
  }
  const onLoopback = ['--bind', '127.0.0.1', '--port', String(redisPort), '--save', '', '--dir', dir];
  try {
    const redis = await startChild({ name: 'redis', file: 'redis-server', args: onLoopback, dir });
    children.push(redis);
    await until('The start of Redis', 10, () => redis.output().includes('Ready to accept connections'));
    const options = { cwd: dir, env: { ...env, PATH: process.env.PATH }, timeout: 60_000 };
    await run(file, ['migrate', 'up'], options);
    const who = ['--email=bench@example.com', '--first-name=Bench', '--last-name=Mark'];
    const { stdout } = await run(file, ['bootstrap', ...who, '--with-api-key', '--format=json'], options);
    const owner = JSON.parse(stdout.slice(stdout.indexOf('{\n')));
    const api = `http://127.0.0.1:${port}`;
    const server = { name: 'convoy-server', file, args: ['server'], dir, env };
    children.push(await startAnswering(server, () => ask(`${api}/healthz`)));
    const sender = { name: 'convoy-agent', file, args: ['agent'], dir, env };
    const agent = await startAnswering(sender, () => ask(`http://127.0.0.1:${agentPort}/healthz`));
    children.push(agent);
    const projects = `${api}/api/v1/projects`;
    const project = await create(`${projects}?orgID=${owner.organisation_id}`, owner.api_key, {
      name: 'Benchmark',
      type: 'outgoing',
      config: {
        strategy: { type: 'linear', duration: 10, retry_count: 2 },
        signature: { header: 'X-Convoy-Signature', versions: [{ hash: 'SHA256', encoding: 'hex' }] },
      },
    });
    const path = `${projects}/${project.project.uid}`;
    const key = project.api_key.key;
    const endpoints = new Map<string, string>();
    return {
      name: 'Convoy',
      async subscribe(targets) {
        for (const { webhook_id, url } of targets) {
          const endpoint = { name: webhook_id, url, secret: webhook_id, http_timeout: 10 };
          const { uid } = await create(`${path}/endpoints`, key, endpoint);
          const subscription = { name: webhook_id, endpoint_id: uid, filter_config: { event_types: ['*'] } };
          await create(`${path}/subscriptions`, key, subscription);
          endpoints.set(webhook_id, uid);
        }
      },
      // Stops the agent until all events are queued, so that it starts with the full backlog.
      async send(events, begin) {
        agent.kill('SIGSTOP');
        await sendAll(events.length, async (index) => {
          const { id, target } = events[index] as Event;
          await accepted(`${path}/events`, key, {
            endpoint_id: endpoints.get(target.webhook_id),
            event_type: 'signal.created',
            data,
            custom_headers: { 'webhook-id': id },
          });
        });
        begin();
        agent.kill('SIGCONT');
        return nowMs();
      },
      cpu: () => cpuSeconds([agent.pid, redis.pid]),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: Convoy's answers, of which a few fields are read.
async function create(url: string, key: string, body: unknown): Promise<any> {
  return JSON.parse(await ask(url, { authorization: `Bearer ${key}` }, body)).data;
}

/** Convoy accepts 1,000 requests a second; on a faster machine, this waits. */
async function accepted(url: string, key: string, body: unknown): Promise<void> {
  for (;;) {
    try {
      return await create(url, key, body);
    } catch (error) {
      if (!String(error).includes(`${url}: 429`)) throw error;
      await delay(100);
    }
  }
}
