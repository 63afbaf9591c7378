import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { pickOne, type Random, randomOf } from '../../src/demo/random.ts';
import { findDueWork } from '../../src/store/delivery/due-work.ts';
import { checkNow } from '../due-work.ts';
import { type Answer, startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { createFullOrganization, filterValue, getRoutes, type Ids, pathOf } from './get-routes.ts';
import { writes } from './random-writes.ts';

/** Processes of one installation: those with the tested caches, and one that always bypasses its cache. */
export type Processes = {
  cached: TestService[];
  fresh: TestService;
  hasJobs: boolean;
  /** The same with one more process, which also runs the background jobs. */
  withJobs(): Promise<Processes>;
  close(): Promise<void>;
};

export async function startProcesses(): Promise<Processes> {
  const started: TestService[] = [];
  const start = async (ROLE: 'api' | 'all') => {
    // Allows registering webhooks without a network.
    const env = { ROLE, WEBHOOK_ALLOW_PRIVATE: 'true' };
    const service = await startTestService(env, started[0]?.databaseUrl);
    started.push(service);
    return service;
  };
  const processes: Processes = {
    cached: [await start('api'), await start('api')],
    fresh: await start('api'),
    hasJobs: false,
    withJobs: async () => ({
      ...processes,
      cached: [await start('all'), ...processes.cached.slice(1)],
      hasJobs: true,
    }),
    async close() {
      for (const service of started.reverse()) await service.close();
    },
  };
  return processes;
}

/** Printed if a comparison fails; set SEED to repeat the same writes. */
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

type World = {
  org: TestOrganization;
  urls: string[];
  /** The last responses, by URL. */
  shown: Map<string, Answer['body']>;
  /** All writes so far, to find out why a response is stale. */
  story: string[];
  /** Requests that the organization has left in this minute, at the process that it has used most. */
  left: number;
  minute: number;
};

/**
 * Writes at random, and after every write compares the responses of each process, which may be cached, with the database.
 * Requests every GET route of the API, cached or not. Returns the names of the writes that were accepted.
 */
export async function compareAfterRandomWrites(processes: Processes, steps: number): Promise<Set<string>> {
  const random = randomOf(seed, Number(processes.hasJobs), 0);
  const worlds: World[] = [];
  let deck: string[] = [];
  const applied = new Set<string>();
  for (let step = 1; step <= steps; step++) {
    const isLonger = processes.hasJobs && step % 4 === 0;
    let world = worlds.find((world) => hasRequestsLeft(world, isLonger ? 3 : 1));
    if (!world) {
      world = await createWorld(processes, random);
      worlds.push(world);
    }
    if (deck.length === 0) deck = shuffled(random, deckOfWrites);
    // Sometimes two concurrent writes.
    const names = deck.splice(0, random() < 0.2 ? 2 : 1);
    for (const name of await write(world, processes, names, random)) applied.add(name);
    await compare(world, processes);
    if (!isLonger) continue;
    await letTimePass(world, processes);
    await compare(world, processes);
  }
  return applied;
}

/** Every write once before any is repeated; ingest, on which most responses depend, twice. */
const deckOfWrites = [...Object.keys(writes), ...Object.keys(writes).filter((name) => /^ingest/.test(name))];

/** An organization whose responses are in the cache of each process. */
export async function createWorld(processes: Processes, random: Random): Promise<World> {
  const [first] = processes.cached as [TestService];
  const { org, ids } = await createFullOrganization(first);
  const world: World = { org, urls: [], shown: new Map(), story: [`SEED=${seed}`], left: 0, minute: 0 };
  const others = await otherIds(world, first, random);
  for (const route of getRoutes.filter(({ path }) => path.startsWith('/v1/'))) {
    const path = pathOf(route, random() < 0.5 ? { ...ids, ...others } : ids);
    // At most two; filters.test.ts tests every combination.
    const filters = shuffled(random, route.filters).slice(0, 1 + Math.floor(2 * random()));
    const query = filters.map((filter) => [filter.name, filterValue(route, filter, ids)]);
    world.urls.push(path);
    if (query.length > 0) world.urls.push(`${path}?${new URLSearchParams(query)}`);
  }
  // A response is cached on the second request.
  await Promise.all(processes.cached.flatMap((process) => world.urls.map((url) => ask(world, process, url))));
  await compare(world, processes);
  return world;
}

/** A random one of each list, so that the details vary. */
async function otherIds(world: World, process: TestService, random: Random): Promise<Ids> {
  const ids: Ids = {};
  for (const { path } of getRoutes) {
    const [, list, name] = /^(\/v1\/\w+)\/\{(\w+)\}$/.exec(path) ?? [];
    if (list && name)
      ids[name] = pickOne(random, (await ask(world, process, list)).body.data as Ids[])?.id ?? '';
  }
  return ids;
}

function hasRequestsLeft({ left, minute, urls }: World, rounds: number): boolean {
  return minute !== thisMinute() || left > (rounds + 0.5) * urls.length;
}

const thisMinute = () => Math.floor(Date.now() / 60_000);

/** Some responses are requested, and cached, while the writes run. Returns which writes were accepted. */
async function write(
  world: World,
  { cached }: Processes,
  names: string[],
  random: Random,
): Promise<string[]> {
  const seen = (path: string) => world.shown.get(path)?.data ?? [];
  const writing = names.map(async (name) => {
    const own = randomOf(Math.floor(random() * 1e9), 0, 0);
    const answer = await writes[name]?.({ org: world.org, service: pickOne(own, cached), random: own, seen });
    return { name, status: answer?.status ?? 0 };
  });
  const some = shuffled(random, world.urls).slice(0, 6);
  const reading = some.map((url) => ask(world, pickOne(random, cached), url));
  const [written] = await Promise.all([Promise.all(writing), Promise.all(reading)]);
  world.story.push(written.map(({ name, status }) => `${name} (${status})`).join(' and '));
  // The target of a write may be gone or in another state by now.
  for (const { status } of written)
    expect([200, 201, 202, 204, 400, 404, 409], world.story.join(', ')).toContain(status);
  return written.flatMap(({ name, status }) => (status < 300 ? [name] : []));
}

export async function compare(world: World, { cached, fresh }: Processes): Promise<void> {
  const compareUrl = async (url: string) => {
    let expected = contentOf(await ask(world, fresh, url, pastTheCache));
    for (const [index, process] of cached.entries())
      for (;;) {
        const found = contentOf(await ask(world, process, url));
        if (isDeepStrictEqual(found, expected)) break;
        const again = contentOf(await ask(world, fresh, url, pastTheCache));
        // A background job may have changed something in between. The response is stale only if it did not.
        if (isDeepStrictEqual(again, expected))
          expect(found, `${world.story.join(', ')}: stale ${url} from process ${index + 1}`).toEqual(
            expected,
          );
        expected = again;
      }
    world.shown.set(url, expected.body);
  };
  await Promise.all(world.urls.map(compareUrl));
}

/** Matches no ETag; only requests without this header use the cache. */
const pastTheCache = { 'if-none-match': '"none"' };

/** Without the parts that differ in every response. */
function contentOf({ status, headers: { etag }, body: { meta, error, ...body } }: Answer) {
  return { status, etag, error: error?.code, body };
}

async function ask(
  world: World,
  process: TestService,
  url: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  // Only one route describes the header; the others ignore it.
  const answer = await process.call('GET', url, { key: world.org.key, headers, isJunk: true });
  expect([200, 404], `${world.story.join(', ')}: GET ${url}: ${answer.text}`).toContain(answer.status);
  const left = Number(answer.headers['x-ratelimit-remaining']);
  world.left = world.minute === thisMinute() ? Math.min(world.left, left) : left;
  world.minute = thisMinute();
  return answer;
}

/** Makes the background jobs do work that is due later, while all responses are cached. */
async function letTimePass(world: World, processes: Processes): Promise<void> {
  const { pool } = processes.fresh;
  const orgId = world.org.orgId as OrganizationId;
  const ending = world.shown.get('/v1/signals')?.data.find(({ state }: { state: string }) => state === 'new');
  await pool.query('update signals set expires_at = now() where org_id = $1 and id = $2', [
    orgId,
    ending?.id,
  ]);
  for (const table of ['rechecks', 'priority_scales', 'suggestion_queue'])
    await pool.query(`update ${table} set due_at = now() where org_id = $1`, [orgId]);
  // A direct change of the database must also change the version. Citus does not allow a random function in the statement.
  const version = [orgId, randomUUID()];
  await pool.query('update event_counters set version = $2 where org_id = $1', version);
  world.story.push('time passes');
  await compare(world, processes);
  await checkNow(pool, { orgId });
  const waiting = async () => {
    const { expire, recheck, rescore, suggest } = await findDueWork(pool, orgId);
    return [expire, recheck, rescore, suggest].filter((at) => at && at < new Date()).length;
  };
  await expect.poll(waiting).toBe(0);
  world.story.push('the jobs are done');
}

function shuffled<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
