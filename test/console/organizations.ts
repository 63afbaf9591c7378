import type { OrganizationId } from '../../src/contract/ids.ts';
import { daysAgo, type Facts, loadFacts, readAll } from '../facts.ts';
import type { TestOrganization, TestService } from '../harness.ts';
import { lookForSuggestions } from '../matches/requests.ts';
import { fillOneOrganization } from '../store/large-store.ts';

/** Companies with names that are long, cannot be broken, or both. */
const longNames = [
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  'The Royal and Ancient Society of Manufacturers, Importers and Wholesale Distributors of Agricultural Machinery and Irrigation Equipment (Northern Hemisphere) Limited',
  'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch Ironworks & Sons',
  'Société anonyme des Établissements Réunis de Constructions Électromécaniques et d’Équipements Hydrauliques de l’Île-de-France',
  'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz-Beratungsgesellschaft mbH & Co. KG',
  'Taumatawhakatangihangakoauauotamateaturipukakapikimaungahoronukupokaiwhenuakitanatahu Vineyards',
];
const words = [
  'Alder',
  'Birch',
  'Cedar',
  'Dogwood',
  'Elm',
  'Fir',
  'Ginkgo',
  'Hazel',
  'Ivy',
  'Juniper',
  'Katsura',
  'Larch',
];
const nameOf = (place: number) => `${words[place % words.length]} ${longNames[place % longNames.length]}`;
const domainOf = (place: number) =>
  `${`${place}-a-company-whose-domain-is-as-long-as-any-label-may-ever-be`.slice(0, 63)}.example`;
const owner = {
  name: 'Regional Director of Strategic Alliances and Partnerships, Central and Eastern Europe',
  email: 'regional.director.of.strategic.alliances.and.partnerships.central.and.eastern.europe@example.com',
};
const stage = 'Negotiation of the framework agreement, waiting for legal review';
const value = 123_456_789.5;
const places = Array.from({ length: 12 }, (_, place) => place);

/** Everything that a page can show, with names, values and texts that are as long as they are in the worst real data. */
export async function longNamedOrganization(service: TestService): Promise<TestOrganization> {
  const org = await service.organization();
  const won = { status: 'won', closed_date: daysAgo(20).slice(0, 10) } as const;
  const summary = `${nameOf(1)}: workshop about requirements, with everybody from procurement, security and operations. See https://example.com/${'a-folder/'.repeat(12)}minutes`;
  await loadFacts(org, {
    partners: places.map((place) => ({
      name: `${nameOf(place)} ${place}`,
      domain: `partner-${domainOf(place)}`,
    })),
    accounts: [
      ...places.map((place) => ({ name: nameOf(place + 1), domain: domainOf(place), owner })),
      // Without a domain, so that partners only may have them.
      { crm_id: 'like', name: `${nameOf(1)} Costbrook`, domain: null, country: 'GB' },
      { crm_id: 'like2', name: 'Altrane', domain: null, country: 'GB' },
    ],
    opportunities: places.flatMap((place) => {
      const deal = { account_crm_id: `a${place + 1}`, value, currency: 'EUR', stage, owner };
      const name = `${nameOf(place + 2)}: renewal and extension of the licences for all subsidiaries`;
      return [
        ...(place % 3 === 2 ? [] : [{ ...deal, name, crm_id: `open${place}`, opened_at: daysAgo(200) }]),
        { ...deal, ...won, name, crm_id: `won${place}`, opened_at: daysAgo(300) },
      ];
    }),
    partner_accounts: [
      ...places.map((place) => ({
        partner_external_id: `p${(place % 4) + 1}`,
        name: nameOf(place + 1),
        domain: domainOf(place),
      })),
      { external_id: 'like', name: `${nameOf(1)} Costbrook Wholesale`, domain: null, country: 'GB' },
      { external_id: 'like2', name: 'Altrane Chemicals', domain: null, country: 'GB' },
    ],
    activities: places.flatMap((place) =>
      [3, 30, 90, 150].map((days, index) => ({
        partner_external_id: `p${((place + index) % 4) + 1}`,
        account_crm_id: `a${place + 1}`,
        ...(index > 1 && { opportunity_crm_id: `won${place}` }),
        occurred_at: daysAgo(days + place),
        summary,
        actor: owner.name,
        source: 'The customer relationship management system of the parent company',
      })),
    ),
  });
  await lookForSuggestions(service, org);
  await changeSomething(org, summary);
  return org;
}

/** One of each: partner, account, open deal, won deal, signal, credit and webhook. */
export async function organizationWithOneRow(service: TestService): Promise<TestOrganization> {
  const org = await service.organization();
  const facts: Facts = {
    partners: [{}],
    accounts: [{}],
    partner_accounts: [{}],
    opportunities: [{ crm_id: 'open' }, { crm_id: 'won', status: 'won' }],
    activities: [{ opportunity_crm_id: 'won' }],
  };
  await loadFacts(org, facts);
  const body = { url: 'https://127.0.0.1/hook', events: ['signal.created'] };
  await org.call('POST', '/v1/webhooks', { body });
  return org;
}

export async function organizationWithManyRows(service: TestService): Promise<TestOrganization> {
  const org = await service.organization();
  const size = { partners: 2_000, accounts: 1_999, signals: 2_000, activities: 2_000 };
  await fillOneOrganization(service.databaseUrl, org.orgId as OrganizationId, size);
  return org;
}

/** A signal that somebody works on, a dispute, and a webhook with a delivery that fails. */
async function changeSomething(org: TestOrganization, note: string): Promise<void> {
  const actor = { 'x-actor': owner.name };
  for (const { id } of (await readAll<{ id: string }>(org, '/v1/signals')).slice(0, 2)) {
    const body = { state: 'in_progress', note, assignee: owner };
    await expectSuccess(org.call('PATCH', `/v1/signals/${id}`, { body, headers: actor }));
  }
  const [record] = await readAll<{ id: string }>(org, '/v1/attribution');
  await expectSuccess(
    org.call('POST', `/v1/attribution/${record?.id}/disputes`, {
      body: { claimed_tier: 'sourced', justification: note },
      headers: actor,
    }),
  );
  const body = {
    url: `https://127.0.0.1:65530/${'receiver-of-webhooks/'.repeat(8)}`,
    events: ['signal.created'],
  };
  const webhook = await expectSuccess(org.call('POST', '/v1/webhooks', { body }));
  await expectSuccess(org.call('POST', `/v1/webhooks/${webhook.body.data.id}/test`));
}

async function expectSuccess(sent: ReturnType<TestOrganization['call']>) {
  const answer = await sent;
  if (answer.status >= 300) throw new Error(answer.text);
  return answer;
}
