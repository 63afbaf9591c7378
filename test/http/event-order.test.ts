import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type EventId, newId, type OrganizationId } from '../../src/contract/ids.ts';
import type { Db } from '../../src/store/db/db.ts';
import { savepoint, type Tx } from '../../src/store/db/tx.ts';
import { insertEvents } from '../../src/store/delivery/events.ts';
import { example } from '../api-document.ts';
import { loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService, testDb } from '../harness.ts';

let service: TestService;
/** Three processes, each of which lets four transactions of an organization run at a time. */
let processes: ReturnType<typeof testDb>[];
let writers: Db;
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
  processes = Array.from({ length: 3 }, () => testDb(service.databaseUrl));
  writers = service.db;
});
afterAll(async () => {
  await Promise.all(processes.map(({ close }) => close()));
  await service.close();
});

const newEvents = (count: number) =>
  Array.from({ length: count }, () => ({
    id: newId('evt'),
    kind: 'signal.created' as const,
    data: example('Signal'),
  }));

async function write(tx: Tx, org: TestOrganization, count: number): Promise<EventId[]> {
  const events = newEvents(count);
  await insertEvents(tx, org.orgId as OrganizationId, events, true);
  return events.map(({ id }) => id);
}

/** A reader that keeps only its cursor. */
function reader(org: Pick<TestOrganization, 'get'>, limit = 25, start = '') {
  const seen: string[] = [];
  let cursor = start;
  return {
    seen,
    cursor: () => cursor,
    async readOn(): Promise<string[]> {
      for (let more = true; more; ) {
        const { status, body, text } = await org.get(`/v1/events?limit=${limit}${cursor}`);
        expect(status, text).toBe(200);
        seen.push(...body.data.map((event: { id: string }) => event.id));
        cursor = `&cursor=${body.resume_cursor}`;
        more = body.has_more;
      }
      return seen;
    },
  };
}

async function numbersOf(org: TestOrganization): Promise<{ number: number; event_id: string }[]> {
  const { rows } = await service.pool.query(
    'select number, event_id from event_numbers where org_id = $1 order by number',
    [org.orgId],
  );
  return rows;
}

describe('events are numbered in the order of their commits', () => {
  test('and a reader sees each once, while transactions begin, write, wait, commit and fail in any order', async () => {
    const org = await service.organization();
    const { seen, readOn } = reader(org, 7);
    const kept: EventId[] = [];
    const writer = async (place: number) => {
      for (let turn = 0; turn < 15; turn++) {
        const failing = (turn + place) % 5 === 0;
        const { db } = processes[place % processes.length] as (typeof processes)[number];
        const written = db.write(org.orgId as OrganizationId, async (tx) => {
          const ids = await write(tx, org, 1 + ((turn * place) % 4));
          await delay(Math.random() * 20);
          ids.push(...(await write(tx, org, turn % 3)));
          if (failing) throw new Error('undone');
          return ids;
        });
        if (failing) await expect(written).rejects.toThrow('undone');
        else kept.push(...(await written));
      }
    };
    let writing = true;
    const polling = (async () => {
      while (writing) await readOn();
    })();
    await Promise.all(Array.from({ length: 10 }, (_, place) => writer(place)));
    writing = false;
    await polling;
    await readOn();
    expect(new Set(seen)).toEqual(new Set(kept));
    expect(seen).toHaveLength(kept.length);
    const numbered = await numbersOf(org);
    expect(numbered.map(({ event_id }) => event_id)).toEqual(seen);
    expect(numbered.map(({ number }) => number)).toEqual(seen.map((_, index) => index + 1));
  });

  test('one that commits late comes after those that a reader has passed meanwhile', async () => {
    const org = await service.organization();
    const { seen, readOn } = reader(org);
    const order: EventId[] = [];
    const late = await writers.write(org.orgId as OrganizationId, async (tx) => {
      const ids = await write(tx, org, 2);
      order.push(...(await writers.write(org.orgId as OrganizationId, (other) => write(other, org, 2))));
      await readOn();
      order.push(...(await writers.write(org.orgId as OrganizationId, (other) => write(other, org, 1))));
      expect(await readOn()).toEqual(order);
      return ids;
    });
    await readOn();
    expect(seen).toEqual([...order, ...late]);
  });

  test('what a savepoint undid has no number, and a transaction that runs again has none of its first run', async () => {
    const org = await service.organization();
    const undone = async (tx: Tx, run: () => Promise<unknown>) => {
      const failing = savepoint(tx, async () => {
        await run();
        throw new Error('refused');
      });
      await expect(failing).rejects.toThrow('refused');
    };
    let runs = 0;
    const kept = await writers.write(org.orgId as OrganizationId, async (tx) => {
      const before = await write(tx, org, 2);
      if (runs++ === 0) throw Object.assign(new Error('a deadlock'), { code: '40P01' });
      await undone(tx, () => write(tx, org, 3));
      return [...before, ...(await write(tx, org, 1))];
    });
    await writers.write(org.orgId as OrganizationId, (tx) => undone(tx, () => write(tx, org, 3)));
    kept.push(...(await writers.write(org.orgId as OrganizationId, (tx) => write(tx, org, 1))));
    expect(await numbersOf(org)).toEqual(kept.map((event_id, index) => ({ number: index + 1, event_id })));
    expect(await reader(org).readOn()).toEqual(kept);
  });

  test('a transaction cannot write events without a number, nor those of two organizations', async () => {
    const [one, two] = [await service.organization(), await service.organization()];
    await expect(write(service.pool as unknown as Tx, one, 1)).rejects.toThrow();
    const both = writers.write(one.orgId as OrganizationId, async (tx) => {
      await write(tx, one, 1);
      await write(tx, two, 1);
    });
    await expect(both).rejects.toThrow('one organization only');
    expect(await reader(one).readOn()).toEqual([]);
  });
});

describe('the feed is not held up', () => {
  test('by a write transaction that is open elsewhere in the database cluster', async () => {
    const org = await service.organization();
    const others = [new pg.Client(inject('postgres')), new pg.Client(service.databaseUrl)];
    for (const other of others) {
      await other.connect();
      await other.query('begin');
      await other.query('select pg_current_xact_id()');
    }
    await loadFacts(org, { partners: [{}], accounts: [{}], partner_accounts: [{}] });
    expect(await reader(org).readOn()).toHaveLength(1);
    for (const other of others) await other.end();
  });

  test('by a long batch of the same organization, and neither are changes of signals', async () => {
    const org = await service.organization();
    await loadFacts(org, { partners: [{}], accounts: [{}], partner_accounts: [{}] });
    const [signal] = await readAll<{ id: string }>(org, '/v1/signals');
    const batch = await writers.write(org.orgId as OrganizationId, async (tx) => {
      const ids = await write(tx, org, 1_000);
      for (const state of ['in_progress', 'new', 'in_progress']) {
        const answer = await org.call('PATCH', `/v1/signals/${signal?.id}`, { body: { state } });
        expect(answer.status, answer.text).toBe(200);
      }
      expect(await reader(org).readOn()).toHaveLength(4);
      return ids;
    });
    expect((await reader(org, 100).readOn()).slice(4)).toEqual(batch);
  });
});

// A backup of a cluster needs all nodes at the same moment, which these tests cannot do.
describe.skipIf(inject('nodes').length > 0)('after the restore of an older backup', () => {
  /** Copies a database without connections. */
  async function copyOf(databaseUrl: string): Promise<string> {
    const name = new URL(databaseUrl.replace('@/', '@host/')).pathname.slice(1);
    const client = new pg.Client(inject('postgres'));
    await client.connect();
    await client.query(`create database ${name}_backup template ${name}`);
    await client.end();
    return databaseUrl.replace(name, `${name}_backup`);
  }

  const signals = (name: string, count: number) => {
    const ids = Array.from({ length: count }, (_, index) => `${name}-${index}`);
    return {
      partners: [{}],
      accounts: ids.map((crm_id) => ({ crm_id })),
      partner_accounts: ids.map((id) => ({ domain: `${id}.example` })),
    };
  };

  /** The same organization on another service. */
  const at = ({ call }: TestService, org: TestOrganization): TestOrganization => ({
    ...org,
    call: (method, path, options) => call(method, path, { key: org.key, ...options }),
    get: (path) => call('GET', path, { key: org.key }),
  });

  /** An organization with `early` events and a backup, a reader that has read more, and the restored backup. */
  async function restore(early: number, lost: number) {
    const first = await startTestService({ ROLE: 'api' });
    const org = await first.organization();
    if (early > 0) await loadFacts(org, signals('early', early));
    await first.close();
    const backup = await copyOf(first.databaseUrl);

    const second = await startTestService({ ROLE: 'api' }, first.databaseUrl);
    const ahead = reader(at(second, org), 100);
    const before = [...(await ahead.readOn())];
    await loadFacts(at(second, org), signals('lost', lost));
    expect(await ahead.readOn()).toHaveLength(early + lost);
    await second.close();

    const third = await startTestService({ ROLE: 'api' }, backup);
    return { third, org: at(third, org), before, cursor: ahead.cursor() };
  }

  test('a reader with an old cursor skips no event, whatever has taken the numbers since, and repeats few', async () => {
    const lost = 5;
    const { third, org, before, cursor } = await restore(130, lost);
    // Before anything is written: known events are repeated, and the cursor continues from there.
    const early = reader(org, 100, cursor);
    const repeated = [...(await early.readOn())];
    expect(before.slice(-repeated.length)).toEqual(repeated);
    expect(repeated.length).toBeLessThanOrEqual(100 - lost);
    // With fewer new events than were lost, as many, and more: the number in the cursor is free, taken, and passed.
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six', 'seven']) {
      await loadFacts(org, signals(name, 1));
      const made = (await reader(org, 100).readOn()).slice(before.length);
      expect(made.length).toBeGreaterThan(0);
      expect((await early.readOn()).slice(repeated.length)).toEqual(made);
      expect(await reader(org, 40, cursor).readOn()).toEqual([...repeated, ...made]);
    }
    await third.close();
  });

  test('a cursor none of whose events is left goes on with the oldest event', async () => {
    const { third, org, cursor } = await restore(0, 3);
    expect(await reader(org, 25, cursor).readOn()).toEqual([]);
    await loadFacts(org, signals('new', 5));
    const feed = await reader(org).readOn();
    expect(feed).toHaveLength(5);
    expect(await reader(org, 2, cursor).readOn()).toEqual(feed);
    await third.close();
  });
});
