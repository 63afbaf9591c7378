import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Facts, type ListedSignal, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { eventsOf } from '../ingest/requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

type Person = { name: string; email: string | null };
type Owned = ListedSignal & { owner: Person | null; assignee: Person | null };

const ada = { name: 'Ada Moreau', email: 'Ada@Example.com' };
const noor = { name: 'Noor Halvorsen', email: 'noor@example.com' };

/** A deal of Ada on an account of Noor, an account of Noor without a deal, and an account of nobody. */
const world: Facts = {
  partners: [{}],
  accounts: [{ owner: noor }, { owner: noor }, {}],
  opportunities: [{ owner: ada }],
  partner_accounts: [1, 2, 3].map((n) => ({ domain: `a${n}.example` })),
};

async function organizationWithOwners(): Promise<TestOrganization> {
  const org = await service.organization();
  await loadFacts(org, world);
  return org;
}

const list = (org: TestOrganization, query = '') => readAll<Owned>(org, `/v1/signals?${query}`);
const ownersOf = async (org: TestOrganization, query = '') =>
  Object.fromEntries((await list(org, query)).map(({ account, owner }) => [account.crm_id, owner]));
const patch = (org: TestOrganization, id: string, body: unknown) =>
  org.call('PATCH', `/v1/signals/${id}`, { body });

test('a signal shows the owner of its deal, else that of its account', async () => {
  const org = await organizationWithOwners();
  expect(await ownersOf(org)).toEqual({ a1: ada, a2: noor, a3: null });
});

test.each(['', '&sort=priority', '&state=new', '&min_priority=0'])(
  'owner finds by e-mail address, whatever the case, with “%s”',
  async (more) => {
    const org = await organizationWithOwners();
    expect(await ownersOf(org, `owner=aDA@example.COM${more}`)).toEqual({ a1: ada });
    expect(await ownersOf(org, `owner=NOOR@example.com${more}`)).toEqual({ a2: noor });
    expect(await ownersOf(org, `owner=nobody@example.com${more}`)).toEqual({});
  },
);

test('facts that change owners change them on every signal, ended ones too', async () => {
  const org = await organizationWithOwners();
  for (const { id } of await list(org)) await patch(org, id, { state: 'handled' });
  await loadFacts(org, {
    accounts: [
      { crm_id: 'a2', owner: ada },
      { crm_id: 'a3', owner: { name: 'No Address' } },
    ],
    opportunities: [{ owner: null }],
  });
  const nameless = { name: 'No Address', email: null };
  expect(await ownersOf(org)).toEqual({ a1: noor, a2: ada, a3: nameless });
  expect(await ownersOf(org, 'owner=ada@example.com')).toEqual({ a2: ada });
  expect(await ownersOf(org, 'owner=noor@example.com')).toEqual({ a1: noor });
});

test('a deal that replaces a prospective one brings its owner', async () => {
  const org = await organizationWithOwners();
  await loadFacts(org, {
    opportunities: [{ crm_id: 'o3', account_crm_id: 'a3', opened_at: new Date().toISOString(), owner: noor }],
  });
  expect(Object.keys(await ownersOf(org, 'owner=noor@example.com')).sort()).toEqual(['a2', 'a3']);
});

test('the signals of an account that is merged into another get the owner of the other', async () => {
  const org = await organizationWithOwners();
  await loadFacts(org, {
    activities: [
      { account_crm_id: 'a3', kind: 'deal_registration' },
      { account_crm_id: 'a3', kind: 'referral' },
    ],
  });
  await loadFacts(org, { accounts: [{ crm_id: 'a3', merged_into: 'a2' }] });
  const owned = await list(org, 'owner=noor@example.com');
  expect(owned.map(({ type }) => type)).toContain('pre_intent');
});

test.each([
  [{ email: 'a@b.example' }, 'owner.name'],
  [{ name: 'A', email: 'nowhere' }, 'owner.email'],
  [{ name: 'A', phone: '1' }, 'owner.phone'],
  ['A', 'owner'],
  [null, undefined],
])('of the owner %j the row error names %s', async (owner, field) => {
  const org = await organizationWithOwners();
  const body = [{ crm_id: 'x', name: 'X', owner }];
  const { data } = (await org.call('POST', '/ingest/v1/accounts', { body })).body;
  expect(data.errors[0]?.field).toBe(field);
});

test('somebody is assigned and unassigned, which the history tells and an event reports', async () => {
  const org = await organizationWithOwners();
  const [{ id }] = (await list(org)) as [Owned];
  const assigned = await patch(org, id, { assignee: ada, note: 'Please take over' });
  expect(assigned.body.data.assignee).toEqual(ada);
  const found = async (query: string) => (await list(org, query)).map((signal) => signal.id);
  expect(await found('assignee=ada@example.com')).toEqual([id]);
  expect(await found('assignee=ADA@EXAMPLE.COM&sort=priority')).toEqual([id]);
  expect(await found('assignee=noor@example.com')).toEqual([]);

  // The same again is no change.
  expect((await patch(org, id, { assignee: ada })).headers.etag).toBe(assigned.headers.etag);
  await patch(org, id, { state: 'in_progress' });
  const { body } = await patch(org, id, { assignee: null });
  expect(body.data.assignee).toBe(null);
  const at = { changed_at: expect.any(String), changed_by: expect.anything() };
  expect(body.data.history).toEqual([
    { from: 'new', to: 'new', note: 'Please take over', assignee: ada, ...at },
    { from: 'new', to: 'in_progress', note: null, ...at },
    { from: 'in_progress', to: 'in_progress', note: null, assignee: null, ...at },
  ]);
  expect(await found('assignee=ada@example.com')).toEqual([]);
  const events = (await eventsOf(service.pool, org.orgId)).filter(({ kind }) => kind === 'signal.updated');
  expect(events.map(({ data }) => (data as unknown as Owned).assignee)).toEqual([ada, ada, null]);
});

test.each([
  [{ name: 'A' }, 'assignee.email'],
  [{ name: ' ', email: 'a@b.example' }, 'assignee.name'],
  [{ name: 'A', email: 'a b@c' }, 'assignee.email'],
  ['ada@example.com', 'assignee'],
])('refuses the assignee %j', async (assignee, field) => {
  const org = await organizationWithOwners();
  const [{ id }] = (await list(org)) as [Owned];
  const { status, body } = await patch(org, id, { assignee });
  expect([status, body.error.details[0].field]).toEqual([400, field]);
});

test('an owner of another organization is found only there', async () => {
  const [org, other] = await Promise.all([organizationWithOwners(), organizationWithOwners()]);
  const ids = new Set((await list(other)).map(({ id }) => id));
  expect((await list(org, 'owner=noor@example.com')).some(({ id }) => ids.has(id))).toBe(false);
});
