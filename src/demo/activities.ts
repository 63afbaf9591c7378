import type { ActivityRow } from '../contract/ingest.ts';
import { type ActivityKind, activityKinds, activityKindTable, type Tier, tiers } from '../vocabulary.ts';
import {
  type DemoOpportunity,
  hasOpenOpportunity,
  opportunityAt,
  pickOpportunity,
  projectOf,
  projectPhaseOf,
  urgentOpportunities,
} from './opportunities.ts';
import { between, pickOne, type Random } from './random.ts';
import { actorOf, origins, summaryOf } from './summaries.ts';
import {
  accountKey,
  activityKey,
  companyOf,
  isoMoment,
  momentOf,
  opportunityKey,
  partnerKey,
  partnerOf,
  randomFor,
  type World,
  workday,
} from './world.ts';

/** Activities come in episodes: a partner that works on an account does several things there. */
export function* activityRows(world: World): Generator<ActivityRow> {
  const { activities } = world.size;
  for (let first = 0; first < activities; first += episodeLength) {
    const random = randomFor(world, 'episode', first);
    const number = first / episodeLength;
    const isUrgent = number < Math.min(urgentOpportunities, world.size.opportunities);
    const episode = isUrgent
      ? lastPush(world, number)
      : (helped(world, random, number) ?? episodeOf(world, random));
    const rank = random() < 0.65 ? 0 : 1;
    for (let nth = 0; nth < Math.min(episodeLength, activities - first); nth++) {
      const step = episode.step(nth);
      const partner = isUrgent
        ? (4 * number) % world.size.partners
        : partnerOf(world, episode.account, step.byRival ? (rank === 0 ? 1 : 0) : rank);
      yield activityRow(world, random, first + nth, partner, episode, step);
    }
  }
}

const episodeLength = 5;

/** No activity is older, even after moving it from a weekend to the Friday before. */
const historyDays = 362;

type Step = { tier: Tier; day: number; byRival?: boolean };
type Episode = { account: number; opportunity: DemoOpportunity | undefined; step: (nth: number) => Step };
type Plot = (world: World, random: Random, earliest: number) => Episode | undefined;

function episodeOf(world: World, random: Random): Episode {
  const earliest = world.today - historyDays;
  const roll = random();
  const plot = plots.find(([upTo]) => roll < upTo)?.[1] ?? background;
  return plot(world, random, earliest) ?? background(world, random);
}

/** A partner of the first tier brought one of the urgent deals in, and is at work on it now. */
function lastPush(world: World, index: number): Episode {
  const opportunity = opportunityAt(world, index);
  const steps: Step[] = [
    { tier: 'sourced', day: opportunity.openedDay - 9 },
    { tier: 'co_sell', day: world.today - 15 },
    { tier: 'co_sell', day: world.today - 8 },
    { tier: 'co_sell', day: world.today - 3 },
    { tier: 'sourced', day: world.today - 1 },
  ];
  return about(opportunity, (nth) => steps[nth] as Step);
}

/** A partner helps with an open deal, with more activity the closer to today. */
const selling: Plot = (world, random, earliest) => {
  const opportunity = pickOpportunity(world, random, ({ status }) => status === 'open');
  if (!opportunity) return undefined;
  const days = world.today - Math.max(opportunity.openedDay, earliest);
  return about(opportunity, () => ({
    tier: tierBy(random, 0.05, 0.8),
    day: world.today - Math.floor((days + 1) * random() ** 2.2),
  }));
};

/** A partner brings in a deal and keeps working on it; sometimes another partner also claims to have brought it. */
const sourcing: Plot = (world, random, earliest) => {
  const opportunity = pickOpportunity(world, random, ({ openedDay }) => openedDay > earliest + 12);
  if (!opportunity) return undefined;
  const { openedDay, closedDay = world.today } = opportunity;
  const isContested = random() < 0.25;
  return about(opportunity, (nth) => {
    const byRival = isContested && nth === 2;
    if (nth === 0 || byRival)
      return { tier: 'sourced', day: Math.max(earliest, openedDay - between(random, 2, 60)), byRival };
    return { tier: tierBy(random, 0, 0.6), day: between(random, openedDay, closedDay) };
  });
};

/** The partner's interest was high when the deal was opened. */
const warming: Plot = (world, random, earliest) => {
  const opportunity = pickOpportunity(world, random, ({ openedDay }) => openedDay > earliest + 14);
  if (!opportunity) return undefined;
  return about(opportunity, () => ({
    tier: tierBy(random, 0, 0.4),
    day: between(random, opportunity.openedDay - 12, opportunity.openedDay - 1),
  }));
};

/** A deal that has been won or lost since, with a partner's help or only its influence. */
const closing: Plot = (world, random, earliest) => {
  const opportunity = pickOpportunity(world, random, ({ closedDay = earliest }) => closedDay > earliest + 5);
  return opportunity && helpOn(world, random, opportunity);
};

/** Every other dozen of deals had help, so that partners have credit in every month. */
function helped(world: World, random: Random, number: number): Episode | undefined {
  const index = 2 * number - (number % 12);
  if (index >= world.size.opportunities) return undefined;
  const opportunity = opportunityAt(world, index);
  return opportunity.closedDay ? helpOn(world, random, opportunity) : undefined;
}

function helpOn(world: World, random: Random, opportunity: DemoOpportunity): Episode {
  const coSellShare = random() < 0.5 ? 0.6 : 0;
  const from = Math.max(opportunity.openedDay, world.today - historyDays);
  return about(opportunity, () => ({
    tier: tierBy(random, 0, coSellShare),
    day: between(random, from, opportunity.closedDay ?? world.today),
  }));
}

/** Activity adds up on an account that has no open deal. */
const interest: Plot = (world, random) => {
  for (let attempt = 0; attempt < 8; attempt++) {
    const account = Math.floor(random() * world.size.accounts);
    if (hasOpenOpportunity(world, account)) continue;
    const newest = world.today - Math.floor(20 * random() ** 1.5);
    const step = () => ({ tier: tierBy(random, 0.2, 0.25), day: between(random, newest - 12, newest) });
    return { account, opportunity: undefined, step };
  }
  return undefined;
};

/** Activity that is not about any deal. */
function background(world: World, random: Random): Episode {
  const step = () => ({
    tier: tierBy(random, 0, 0.2),
    day: world.today - Math.floor((historyDays + 1) * random() ** 2.2),
  });
  return { account: Math.floor(random() * world.size.accounts), opportunity: undefined, step };
}

/** Each with the upper bound of the random numbers that select it. */
const plots: [number, Plot][] = [
  [0.28, selling],
  [0.48, sourcing],
  [0.54, warming],
  [0.6, closing],
  [0.84, interest],
];

function about(opportunity: DemoOpportunity, step: Episode['step']): Episode {
  return { account: opportunity.account, opportunity, step };
}

function tierBy(random: Random, sourcedShare: number, coSellShare: number): Tier {
  const roll = random();
  if (roll < sourcedShare) return 'sourced';
  return roll < sourcedShare + coSellShare ? 'co_sell' : 'influenced';
}

const kindsByTier = Object.fromEntries(
  tiers.map((tier) => [tier, activityKinds.filter((kind) => activityKindTable[kind].tier === tier)]),
) as Record<Tier, ActivityKind[]>;

function activityRow(
  world: World,
  random: Random,
  index: number,
  partner: number,
  { account, opportunity }: Episode,
  step: Step,
): ActivityRow {
  const kind = pickOne(random, kindsByTier[step.tier]);
  const day = workday(step.day);
  const occurredMs = momentOf(world, day, random);
  const recordedMs = Math.min(world.nowMs, occurredMs + Math.floor(random() * 48 * 3600) * 1000);
  // Such sources know the domain of a visitor, not the CRM account.
  const byDomain = activityKindTable[kind].tier === 'influenced' && random() < 0.4;
  const namesOpportunity = opportunity !== undefined && day >= opportunity.openedDay && random() < 0.7;
  const topic = {
    project: namesOpportunity ? projectPhaseOf(world, opportunity) : projectOf(world, account),
    episode: Math.floor(index / episodeLength),
    nth: index % episodeLength,
  };
  return {
    external_id: activityKey(index),
    partner_external_id: partnerKey(partner),
    account_crm_id: byDomain ? null : accountKey(account),
    domain: byDomain ? `${companyOf(world, account).slug}.example` : null,
    opportunity_crm_id: namesOpportunity ? opportunityKey(opportunity.index) : null,
    kind,
    occurred_at: isoMoment(occurredMs),
    recorded_at: isoMoment(recordedMs),
    summary: summaryOf(kind, topic),
    actor: actorOf(random, kind, topic),
    source: origins[kind].from,
  };
}
