import type { AccountRow, OpportunityRow, PartnerAccountRow, PartnerRow } from '../contract/ingest.ts';
import { type PartnerType, relationships } from '../vocabulary.ts';
import { dealOf, phaseOf, projectOf } from './deals.ts';
import { partnerName } from './names.ts';
import { pick, type Random } from './random.ts';
import {
  accountKey,
  companyOf,
  countryOf,
  isoDay,
  opportunityKey,
  partnerAccountKey,
  partnerKey,
  partnerOf,
  randomFor,
  seedOffset,
  type World,
} from './world.ts';

/** Twelve partners make a round; every four of them cover all tiers. */
const typeRound: readonly PartnerType[] = [
  'hyperscaler',
  'gsi',
  'solution_provider',
  'technology_partner',
  'technology_partner',
  'hyperscaler',
  'gsi',
  'solution_provider',
  'solution_provider',
  'technology_partner',
  'solution_provider',
  'technology_partner',
];

const partnerTrades: Record<PartnerType, readonly string[]> = {
  hyperscaler: ['Cloud'],
  gsi: ['Global Services', 'Integration'],
  solution_provider: ['Consulting', 'Advisory', 'Solutions'],
  technology_partner: ['Software', 'Analytics', 'Security', 'Data'],
};

export function partnerRow(world: World, index: number): PartnerRow {
  const type = typeRound[index % typeRound.length] as PartnerType;
  const trades = partnerTrades[type];
  const { name, slug } = partnerName(index, seedOffset(world), trades[index % trades.length] as string);
  return { external_id: partnerKey(index), name, type, tier: 1 + (index % 4), domain: `${slug}.example` };
}

export function accountRow(world: World, index: number): AccountRow {
  const random = randomFor(world, 'account', index);
  const { name, slug } = companyOf(world, index);
  const { code, legalForm } = countryOf(world, index);
  return {
    crm_id: accountKey(index),
    name: `${name} ${legalForm}`,
    domain: `${slug}.example`,
    extra_domains: random() < 0.3 ? [extraDomain(slug)] : [],
    country: code,
    registry_number: random() < 0.7 ? registryNumber(world, index) : null,
  };
}

function extraDomain(slug: string): string {
  return `${slug}-group.example`;
}

/** The factor shares no divisor with the range, so that no two companies have the same number. */
function registryNumber(world: World, index: number): string {
  const number = 1_000_000_000 + ((index * 48_271 + seedOffset(world)) % 1_000_000_000);
  return `${countryOf(world, index).registry} ${number}`;
}

const openStages = ['Discovery', 'Qualification', 'Solution', 'Proposal', 'Negotiation'];

export function opportunityRow(world: World, index: number): OpportunityRow {
  const deal = dealOf(world, index);
  const random = randomFor(world, 'opportunity', index);
  const project = projectOf(world, index);
  const phase = phaseOf(world, index);
  const { currency, unitsPerDollar } = countryOf(world, deal.account);
  const progress = (world.today - deal.openedDay) / 200 + random() * 0.4;
  const openStage = openStages[Math.min(openStages.length - 1, Math.floor(progress * openStages.length))];
  return {
    crm_id: opportunityKey(index),
    account_crm_id: accountKey(deal.account),
    name: `${companyOf(world, deal.account).name}: ${project}${phase > 1 ? `, phase ${phase}` : ''}`,
    value: Number((dealSizeInDollars(random) * unitsPerDollar).toPrecision(2)),
    currency,
    stage: deal.status === 'open' ? (openStage as string) : `Closed ${deal.status}`,
    status: deal.status,
    opened_at: isoDay(deal.openedDay),
    closed_date: deal.closedDay === undefined ? null : isoDay(deal.closedDay),
  };
}

/** Log-normal with a median of 50,000 US dollars; two thirds are between 20,000 and 125,000. */
function dealSizeInDollars(random: Random): number {
  const normal = (random() + random() + random() - 1.5) * 2;
  return 50_000 * Math.exp(0.9 * normal);
}

/**
 * The first round covers every account once; the next starts over with other partners. Most rows are the same company
 * as the account and match in exactly one way; the rest are companies that are not accounts.
 */
export function partnerAccountRow(world: World, index: number): PartnerAccountRow {
  const random = randomFor(world, 'match', index);
  const { accounts } = world.size;
  const account = accountRow(world, index % accounts);
  const row: PartnerAccountRow = {
    partner_external_id: partnerKey(partnerOf(world, index % accounts, index < accounts ? 0 : 1)),
    external_id: partnerAccountKey(index),
    name: companyOf(world, index % accounts).name,
    domain: null,
    country: account.country ?? null,
    registry_number: null,
    relationship: pick(random, relationships),
  };
  const roll = random();
  const [extra] = account.extra_domains ?? [];
  if (roll < 0.2) {
    const stranger = companyOf(world, accounts + index);
    row.name = stranger.name;
    row.domain = `${stranger.slug}.example`;
  } else if (roll < 0.35) {
    row.name = row.name.toUpperCase();
  } else if (roll < 0.6 && account.registry_number) {
    row.name += ' Operations';
    row.registry_number = account.registry_number.replace(' ', '');
  } else if (roll < 0.85 && extra) {
    row.name += ' Group';
    row.domain = `https://www.${extra}/`;
  } else {
    row.name += ' International';
    row.domain = account.domain ?? null;
  }
  return row;
}
