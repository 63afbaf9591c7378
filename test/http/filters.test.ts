import { afterAll, beforeAll, expect, test } from 'vitest';
import { pickOne, randomOf } from '../../src/demo/random.ts';
import { type Answer, operatorKey, startTestService, type TestService } from '../harness.ts';
import { createFullOrganization, filterValue, type GetRoute, getRoutes, pathOf } from './get-routes.ts';

let service: TestService;
let full: Awaited<ReturnType<typeof createFullOrganization>>;
/** Requests that the organization has left in this minute. */
let left = 0;
beforeAll(async () => {
  // Nothing changes by itself, and webhooks can be registered without a network.
  service = await startTestService({ ROLE: 'api', WEBHOOK_ALLOW_PRIVATE: 'true' });
});
afterAll(() => service.close());

/** Up to this many filters, every combination is tested. */
const allUpTo = 9;
const random = randomOf(1, 0, 0);

const routes = getRoutes
  .filter(({ filters, hasPages }) => filters.length > 0 || hasPages)
  .map((route) => [route.path, route] as const);

test.each(routes)(
  'GET %s answers every combination of its filters, the same twice, and its second page',
  async (_, route) => {
    const failures: string[] = [];
    let pages = 0;
    let last: Answer | undefined;
    for (const names of combinations(route)) {
      await makeSureOfRequestsLeft();
      const query = route.hasPages ? { limit: '1' } : {};
      const first = await ask(route, names, query);
      const again = await ask(route, names, query);
      const cursor = first.body.next_cursor;
      const next = cursor && (await ask(route, names, { ...query, cursor }));
      if (next) pages++;
      for (const [what, answer] of Object.entries({ first, again, next }))
        if (answer && answer.status !== 200)
          failures.push(`${names.join('&')} (${what}): ${answer.status} ${answer.body.error.code}`);
      if (!changing.includes(route.path) && contentOf(first) !== contentOf(again))
        failures.push(`${names.join('&')}: another answer the second time`);
      if (!names.includes('end_reason')) last = first;
    }
    expect(failures).toEqual([]);
    // No signal matches all filters: one that has ended is not new and has no priority.
    expect(last?.body.data, 'what all other filters together let through').not.toEqual([]);
    if (route.hasPages) expect(pages, 'lists with a second page').toBeGreaterThan(0);
  },
);

test.each(routes.filter(([, { hasCsv }]) => hasCsv))(
  'GET %s answers a sample of them as CSV',
  async (_, route) => {
    const all = combinations(route);
    for (const names of [[], all.at(-1) ?? [], pickOne(random, all), pickOne(random, all)]) {
      await makeSureOfRequestsLeft();
      const headers = { accept: 'text/csv' };
      const answers = [await ask(route, names, {}, headers), await ask(route, names, {}, headers)];
      for (const { status, text } of answers) expect(status, `${names.join('&')}: ${text}`).toBe(200);
      if (!changing.includes(route.path)) expect(answers[1]?.text).toBe(answers[0]?.text);
    }
  },
);

const contentOf = ({ body }: Answer) => JSON.stringify(body.data ?? null);

/** Each request adds an entry, or changes the last use of a key. */
const changing = ['/admin/v1/audit', '/admin/v1/organizations/{org_id}/keys'];

/** None of them first, all of them last. */
function combinations({ filters }: GetRoute): string[][] {
  const names = filters.map(({ name }) => name);
  const sets: string[][] = [[]];
  for (const name of names) sets.push(...sets.map((set) => [...set, name]));
  if (names.length <= allUpTo) return sets;
  const isSampled = (set: string[]) =>
    set.length <= 3 || set.length >= names.length - 1 || random() < 200 / sets.length;
  return sets.filter(isSampled);
}

async function makeSureOfRequestsLeft(): Promise<void> {
  if (left > 5) return;
  full = await createFullOrganization(service);
  // For the second page of keys.
  await full.org.second();
  left = 100;
}

async function ask(
  route: GetRoute,
  names: string[],
  query: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const given = new URLSearchParams(query);
  for (const filter of route.filters.filter(({ name }) => names.includes(name)))
    given.set(filter.name, filterValue(route, filter, full.ids));
  const isOperator = route.path.startsWith('/admin/');
  const path = `${pathOf(route, full.ids)}?${given}`;
  const answer = await service.call('GET', path, { key: isOperator ? operatorKey : full.org.key, headers });
  if (!isOperator) left = Number(answer.headers['x-ratelimit-remaining']);
  return answer;
}
