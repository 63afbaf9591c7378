import type {
  AccountRow,
  FactRow,
  OpportunityRow,
  PartnerAccountRow,
  PartnerRow,
} from '../contract/ingest.ts';
import { type PartnerType, relationships } from '../vocabulary.ts';
import { partnerName } from './names.ts';
import { opportunityAt, phaseOf, projectOf, urgentOpportunities } from './opportunities.ts';
import { between, pickOne, type Random } from './random.ts';
import {
  accountKey,
  companyOf,
  countryOf,
  formatDay,
  opportunityKey,
  partnerAccountKey,
  partnerKey,
  partnerOf,
  randomFor,
  seedOffset,
  type World,
  workday,
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
  const { code, legalForm, registry, region } = countryOf(world, index);
  return {
    crm_id: accountKey(index),
    name: `${name} ${legalForm}`,
    domain: `${slug}.example`,
    extra_domains: random() < 0.3 ? [`${slug}-group.example`] : [],
    country: code,
    registry_number: random() < 0.7 ? `${registry} ${registryNumber(world, index)}` : null,
    owner: teamOf(region),
  };
}

/** Nobody who does not exist owns a deal: teams do. */
function teamOf(area: string): { name: string; email: string } {
  return { name: `Sales ${area}`, email: `${area.toLowerCase()}@sales.example` };
}

/** The factor shares no divisor with the range, so that no two companies have the same number. */
function registryNumber(world: World, index: number): number {
  return 1_000_000_000 + ((index * 48_271 + seedOffset(world)) % 1_000_000_000);
}

export const demoOpenStages = ['Discovery', 'Qualification', 'Solution', 'Proposal', 'Negotiation'];

export function opportunityRow(world: World, index: number): OpportunityRow {
  const opportunity = opportunityAt(world, index);
  const random = randomFor(world, 'opportunityRow', index);
  const project = projectOf(world, opportunity.account);
  const phase = phaseOf(world, index);
  const { currency } = countryOf(world, opportunity.account);
  const isUrgent = index < urgentOpportunities;
  const value = isUrgent ? 640_000 - 90_000 * index : opportunitySize(random);
  const progress = (world.today - opportunity.openedDay) / 200 + random() * 0.4;
  const reached = isUrgent ? demoOpenStages.length - 1 : Math.floor(progress * demoOpenStages.length);
  const daysLeft = isUrgent ? 6 + 3 * index : between(random, 10, 140);
  const openStage = demoOpenStages[Math.min(demoOpenStages.length - 1, reached)];
  return {
    crm_id: opportunityKey(index),
    account_crm_id: accountKey(opportunity.account),
    name: `${companyOf(world, opportunity.account).name}: ${project}${phase > 1 ? `, phase ${phase}` : ''}`,
    value: Number(value.toPrecision(2)),
    currency,
    stage: opportunity.status === 'open' ? (openStage as string) : `Closed ${opportunity.status}`,
    status: opportunity.status,
    opened_at: formatDay(opportunity.openedDay),
    closed_date: formatDay(opportunity.closedDay ?? workday(world.today + daysLeft)),
    ...(value > 200_000 && { owner: teamOf('Strategic') }),
  };
}

/** Log-normal with a median of 50,000; two thirds are between 20,000 and 125,000. */
function opportunitySize(random: Random): number {
  const normal = (random() + random() + random() - 1.5) * 2;
  return 50_000 * Math.exp(0.9 * normal);
}

/**
 * The first round covers every account once; the next starts over with other partners. Most rows are the same company
 * as the account and match in exactly one way; a few may be the same, and the rest are companies that are not accounts.
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
    relationship: pickOne(random, relationships),
  };
  const roll = random();
  const [extra] = account.extra_domains ?? [];
  if (roll < 0.06) {
    // Nobody but a person can tell.
    row.name += pickOne(random, [' Holding', ' Services', ' & Partners', ' Operations']);
  } else if (roll < 0.2) {
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

/** What a euro was worth on the working days of a bit more than a year, oldest first. */
export function exchangeRateRows(world: World): FactRow<'exchange_rates'>[] {
  const days = Array.from({ length: 400 }, (_, index) => world.today - 399 + index);
  return days
    .filter((day) => workday(day) === day)
    .map((day) => ({
      ...{ date: formatDay(day), base: 'EUR', quote: 'USD' },
      rate: Number((1.1 + 0.04 * Math.sin(day / 40) + 0.01 * Math.sin(day / 3)).toFixed(4)),
    }));
}
