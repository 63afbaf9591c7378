import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, type RunningRedis, startRedis } from '../../test/redis.ts';
import { cpuSeconds } from '../cpu.ts';
import { sendAll } from '../reads.ts';
import type { Say } from '../section.ts';
import { type Bench, data, type Event, nowMs } from '../webhooks.ts';
import { answering, ask, run } from './peer.ts';

const source = 'https://github.com/frain-dev/convoy';
const version = 'v26.7.1';
/** Compilers, linters and git pass over a folder of this name. */
const folder = fileURLToPath(new URL('node_modules/convoy', import.meta.url));
const program = join(folder, 'convoy');

/** Convoy's API, and its agent, which stores events and sends them. */
export type Convoy = {
  subscribe(targets: Event['target'][]): Promise<void>;
  send(events: Event[]): Promise<number>;
  /** Seconds of CPU of the agent and of Redis. */
  cpu(): number;
  stop(): Promise<void>;
};

export async function installConvoy(say: Say): Promise<void> {
  if (existsSync(program)) return;
  for (const tool of ['git', 'go']) {
    await run(tool, ['version']).catch(() => {
      throw new Error(`${tool} is not installed. To build Convoy, install git, go and redis-server.`);
    });
  }
  say(`building Convoy ${version} in bench/peers/node_modules, with git and go, a few minutes`);
  if (!existsSync(folder)) await run('git', ['clone', '--depth=1', `--branch=${version}`, source, folder]);
  await run('go', ['build', '-o', program, './cmd'], {
    cwd: folder,
    env: { ...process.env, CGO_ENABLED: '0' },
  });
}

export async function startConvoy({ installation, caFile }: Bench): Promise<Convoy> {
  const redis = await startRedis();
  const children: ChildProcess[] = [];
  async function stop(): Promise<void> {
    for (const child of children) child.kill('SIGKILL');
    await redis.stop();
  }
  try {
    const [port, agentPort] = [await freePort(), await freePort()];
    const env = environment(installation.connection, redis, caFile, port, agentPort);
    const options = { cwd: folder, env };
    await run(program, ['migrate', 'up'], options);
    const who = ['--email=bench@example.com', '--first-name=Bench', '--last-name=Mark'];
    const { stdout } = await run(program, ['bootstrap', ...who, '--with-api-key', '--format=json'], options);
    const owner = JSON.parse(stdout.slice(stdout.indexOf('{\n')));
    for (const name of ['server', 'agent'])
      children.push(spawn(program, [name], { ...options, stdio: 'ignore' }));
    const [server, agent] = children as [ChildProcess, ChildProcess];
    await answering(`http://127.0.0.1:${port}/health`, server);
    const projects = `http://127.0.0.1:${port}/api/v1/projects`;
    const project = await create(`${projects}?orgID=${owner.organisation_id}`, owner.api_key, {
      name: 'Benchmark',
      type: 'outgoing',
      config: {
        ratelimit: { count: 1_000_000, duration: 1 },
        strategy: { type: 'linear', duration: 10, retry_count: 2 },
        signature: { header: 'X-Convoy-Signature', versions: [{ hash: 'SHA256', encoding: 'hex' }] },
      },
    });
    const path = `${projects}/${project.project.uid}`;
    const key = project.api_key.key;
    const endpoints = new Map<string, string>();
    return {
      async subscribe(targets) {
        for (const { webhook_id, url } of targets) {
          const endpoint = { name: webhook_id, url, secret: webhook_id, http_timeout: 10 };
          const { uid } = await create(`${path}/endpoints`, key, endpoint);
          const subscription = { name: webhook_id, endpoint_id: uid, filter_config: { event_types: ['*'] } };
          await create(`${path}/subscriptions`, key, subscription);
          endpoints.set(webhook_id, uid);
        }
      },
      // The agent rests meanwhile: events are to lie there as if many had come at the same moment.
      async send(events) {
        agent.kill('SIGSTOP');
        await sendAll(events.length, (index) => {
          const { id, target } = events[index] as Event;
          return create(`${path}/events`, key, {
            endpoint_id: endpoints.get(target.webhook_id),
            event_type: 'signal.created',
            data,
            custom_headers: { 'webhook-id': id },
          });
        });
        agent.kill('SIGCONT');
        return nowMs();
      },
      cpu: () => cpuSeconds([agent.pid as number, redis.pid]),
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

function environment(
  { host, port, user, database }: Bench['installation']['connection'],
  redis: RunningRedis,
  caFile: string,
  apiPort: number,
  agentPort: number,
): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    PORT: String(apiPort),
    AGENT_PORT: String(agentPort),
    CONVOY_DB_DSN: `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}&sslmode=disable`,
    CONVOY_DB_MAX_OPEN_CONN: '30',
    CONVOY_REDIS_HOST: '127.0.0.1',
    CONVOY_REDIS_PORT: String(redis.port),
    SSL_CERT_FILE: caFile,
    CONVOY_DISPATCHER_ALLOW_LIST: '127.0.0.0/8',
    CONVOY_INSTANCE_INGEST_RATE: '1000000',
    CONVOY_API_RATE_LIMIT: '1000000',
    CONVOY_JWT_SECRET: 'secret-of-the-benchmark',
    CONVOY_JWT_REFRESH_SECRET: 'secret-of-the-benchmark',
    CONVOY_NATIVE_REALM_ENABLED: 'true',
    CONVOY_ANALYTICS_ENABLED: 'false',
    CONVOY_LOGGER_LEVEL: 'error',
  };
}
