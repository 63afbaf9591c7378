import { daysAgo, type ListedSignal, loadFacts, readAll } from '../facts.ts';
import type { TestOrganization, TestService } from '../harness.ts';

export type World = {
  org: TestOrganization;
  signal: ListedSignal;
  record: { id: string; tier: string; opportunity: { id: string }; partner: { id: string } };
  /** A key of the organization with these scopes. */
  keyWith(scopes: string[]): Promise<string>;
};

/**
 * Zephyr Cloud works on the open deal of Harbour Mills and co-sold the won one of Quarry Works, where Lantern Systems was
 * too early to be credited and Basalt Partners too late. Zephyr Cloud shares both accounts.
 */
export async function createWorld(service: TestService, plan?: 'standard'): Promise<World> {
  const org = await service.organization(plan ? { plan } : {});
  const joint = { partner_external_id: 'p1', kind: 'joint_meeting' as const };
  await loadFacts(org, {
    partners: [
      { name: 'Zephyr Cloud', type: 'hyperscaler', tier: 1 },
      { name: 'Lantern Systems', type: 'gsi', tier: 3 },
      { name: 'Basalt Partners', type: 'solution_provider', tier: 4 },
    ],
    accounts: [{ name: 'Harbour Mills' }, { name: 'Quarry Works' }],
    opportunities: [
      { name: 'Harbour Mills renewal', account_crm_id: 'a1', value: 48_000, currency: 'EUR' },
      {
        name: 'Quarry Works rollout',
        account_crm_id: 'a2',
        value: 90_000,
        currency: 'NOK',
        status: 'won',
        opened_at: daysAgo(60),
        closed_date: daysAgo(5).slice(0, 10),
      },
    ],
    partner_accounts: ['a1', 'a2'].map((account) => ({ domain: `${account}.example` })),
    activities: [
      { ...joint, account_crm_id: 'a1', occurred_at: daysAgo(2), summary: 'Sizing workshop' },
      { ...joint, account_crm_id: 'a2', occurred_at: daysAgo(20), summary: 'Joint demo' },
      {
        partner_external_id: 'p2',
        account_crm_id: 'a2',
        kind: 'content_touch',
        occurred_at: daysAgo(150),
        summary: 'Downloaded a paper',
      },
      {
        partner_external_id: 'p3',
        account_crm_id: 'a2',
        kind: 'content_touch',
        occurred_at: daysAgo(3),
        summary: 'Downloaded a paper after the closing',
      },
    ],
  });
  const signals = await readAll<ListedSignal>(org, '/v1/signals');
  const records = await readAll<World['record']>(org, '/v1/attribution');
  return {
    org,
    signal: signals.find(({ type }) => type === 'co_sell') as ListedSignal,
    record: records[0] as World['record'],
    async keyWith(scopes) {
      const path = `/admin/v1/organizations/${org.orgId}/keys`;
      return (await service.operator('POST', path, { name: scopes.join(), scopes })).body.data.key;
    },
  };
}
