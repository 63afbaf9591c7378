import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { newId, type OrganizationId } from '../../src/contract/ids.ts';
import { findDataVersion } from '../../src/store/db/data-version.ts';
import { tables } from '../../src/store/db/tables.ts';
import { requireFacts } from '../../src/store/db/tx.ts';
import { queueSuggestions } from '../../src/store/matching/suggestion-queue.ts';
import { dbTo } from '../db.ts';
import { loadFacts, organizationWithOverlaps } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { bodyOf, decide } from '../matches/requests.ts';
import { connect, ways } from '../mcp/assistants.ts';

const isCitus = inject('nodes').length > 0;

let service: TestService;
let org: TestOrganization;
let orgId: OrganizationId;
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  org = await service.organization();
  orgId = org.orgId as OrganizationId;
});

const version = () => findDataVersion(service.db.read(orgId), orgId);

test('every table of the schema is declared as shown or not, and no other', async () => {
  const { rows } = await service.pool.query(
    `select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
       and not relispartition and relname <> 'schema_migrations'`,
  );
  expect(rows.map(({ name }) => name).sort()).toEqual([...tables].sort());
});

describe('a statement', () => {
  const other = newId('org');
  const text = 'select $1::text';

  test.each(['read', 'report', 'write', 'facts', 'upkeep'] as const)(
    'of another organization is refused in %s',
    async (way) => {
      const statement = { name: 'of_another', text, values: [other] };
      const { db } = service;
      const sent =
        way === 'read'
          ? async () => db.read(orgId).query(statement)
          : way === 'upkeep'
            ? async () => db.upkeep(orgId).query(statement)
            : () => db[way](orgId, (tx) => tx.query(statement));
      await expect(sent()).rejects.toThrow('names another organization');
    },
  );

  // On Citus, rows are written on the nodes, and the coordinator does not count them.
  test.skipIf(isCitus)('that writes what it does not declare fails where writes are checked', async () => {
    const { db, close } = dbTo({ connectionString: service.databaseUrl }, { checkWrites: true });
    onTestFinished(close);
    const insert = {
      text: `insert into exports (org_id, id, claimed_at, expires_at) values ($1, 'x', now(), now())`,
      values: [orgId],
    };
    const undeclared = () => db.upkeep(orgId, (tx) => tx.query(insert));
    await expect(undeclared()).rejects.toThrow('declares that it writes: exports');
    await expect(db.upkeep(orgId).query(insert)).rejects.toThrow('declares that it writes: exports');
    await db.upkeep(orgId, (tx) => tx.query({ ...insert, writes: ['exports'] }));
    const remove = { text: 'delete from partners where org_id = $1', values: [orgId] };
    // @ts-expect-error upkeep cannot declare a table that is shown
    await db.upkeep(orgId, (tx) => tx.query({ ...remove, writes: ['partners'] }));
    // @ts-expect-error and what reads cannot write at all
    await db.report(orgId, (tx) => tx.query({ ...remove, writes: ['exports'] })).catch(() => {});
  });
});

describe('the version of an organization', () => {
  test('changes with what it is shown, and with nothing else', async () => {
    await loadFacts(org, { partners: [{}] });
    const before = await version();
    await service.db.write(orgId, (tx) => queueSuggestions(tx, orgId, [], [], new Date()));
    await org.call('POST', '/v1/webhooks', {
      body: { url: 'https://a.example', events: ['signal.created'] },
    });
    await loadFacts(org, { partners: [{}] });
    expect(await version()).toBe(before);
    await loadFacts(org, { partners: [{ name: 'Lantern Quay Group' }] });
    expect(await version()).not.toBe(before);
  });
});

describe('the lock of the facts', () => {
  test('is taken by a transaction that turns out to need it, which then runs again', async () => {
    let runs = 0;
    const held = await service.db.write(orgId, async (tx) => {
      runs++;
      requireFacts(tx);
      return tx.holdsFacts;
    });
    expect([held, runs]).toEqual([true, 2]);
  });

  test('is not waited for by what can wait, in this process or in another', async () => {
    const another = dbTo({ connectionString: service.databaseUrl });
    onTestFinished(another.close);
    await service.db.facts(orgId, async (tx) => {
      await tx.query({ text: 'select 1' });
      expect(await service.db.factsIfFree(orgId, async () => true)).toBeNull();
      expect(await another.db.factsIfFree(orgId, async () => true)).toBeNull();
    });
    expect(await another.db.factsIfFree(orgId, async () => true)).toBe(true);
  });
});

/** While a batch of the organization is at work elsewhere. */
async function duringBatch<T>(id: OrganizationId, run: () => Promise<T>): Promise<T> {
  return service.db.facts(id, async (tx) => {
    await tx.query({ text: 'select 1' });
    return run();
  });
}

describe('what waits for a batch of its organization', () => {
  test('keeps none of its other requests waiting: restores and match decisions', async () => {
    const { org: busy, signals } = await organizationWithOverlaps(service, 6);
    const id = busy.orgId as OrganizationId;
    const restored = signals.slice(0, 4).map(({ id }) => `/v1/signals/${id}`);
    for (const path of restored)
      expect((await busy.call('PATCH', path, { body: { state: 'expired' } })).status).toBe(200);
    await loadFacts(busy, { partner_accounts: [{ external_id: 'l1', name: 'Elsewhere', domain: null }] });
    const body = await bodyOf(busy, { account: 'a6', listed: 'l1', decision: 'different' });
    const waiting = await duringBatch(id, async () => {
      const sent = [
        ...restored.map((path) => busy.call('PATCH', path, { body: { state: 'new' } })),
        ...Array.from({ length: 4 }, () => busy.call('POST', '/v1/match_decisions', { body })),
      ];
      // With these behind the others, they would have been answered only after the batch, which waits for them.
      const reads = await Promise.all(Array.from({ length: 8 }, () => busy.get('/v1/signals?state=expired')));
      expect(reads.map(({ status }) => status)).toEqual(Array(8).fill(200));
      return { sent };
    });
    const answers = await Promise.all(waiting.sent);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 201, 201, 201, 201]);
  });
});

// On Citus, the nodes do not know how long a statement may wait for a lock: the note would wait longer than the batch may rest.
test.skipIf(isCitus)(
  'a restored signal waits for the batch that has locked it, over the API and through an assistant',
  async () => {
    const { org: busy, signals } = await organizationWithOverlaps(service, 2);
    const id = busy.orgId as OrganizationId;
    const [first = '', second = ''] = signals.map((signal) => signal.id);
    for (const signal of [first, second])
      await busy.call('PATCH', `/v1/signals/${signal}`, { body: { state: 'expired' } });
    const assistant = await connect(ways[0], service, busy.key);
    onTestFinished(() => assistant.close());
    const waiting = await service.db.facts(id, async (tx) => {
      await tx.query({ text: 'select from signals where org_id = $1 for update', values: [id] });
      const restored = busy.call('PATCH', `/v1/signals/${first}`, { body: { state: 'new' } });
      const restoredByAssistant = assistant.call('update_signal', { signal_id: second, state: 'new' });
      // Long enough for a change to give up that waits for the signal itself.
      const noted = await busy.call('PATCH', `/v1/signals/${first}`, { body: { note: 'Later.' } });
      expect(noted.status, noted.text).toBe(503);
      return { restored, restoredByAssistant };
    });
    const answer = await waiting.restored;
    expect(answer.body.data, answer.text).toMatchObject({ state: 'new' });
    expect(await waiting.restoredByAssistant).toMatchObject({ isError: false, data: { state: 'new' } });
  },
);

test('workers are woken after a match decision that has something to deliver', async () => {
  await loadFacts(org, {
    partners: [{}],
    accounts: [{ name: 'Elm Works', domain: 'elm.example' }],
    partner_accounts: [{ external_id: 'l1', name: 'Works of Elm', domain: 'works.example' }],
  });
  await org.call('POST', '/v1/webhooks', {
    body: { url: 'https://receiver.example', events: ['signal.created'] },
  });
  const listener = new pg.Client(service.databaseUrl);
  await listener.connect();
  onTestFinished(() => listener.end());
  await listener.query('listen partner_signals_deliveries');
  const heard: string[] = [];
  listener.on('notification', ({ channel }) => heard.push(channel));
  await decide(org, 'a1', 'l1', 'same');
  const { rowCount } = await service.pool.query('select from deliveries where org_id = $1', [orgId]);
  expect(rowCount).toBe(1);
  await expect.poll(() => heard).toEqual(['partner_signals_deliveries']);
});
