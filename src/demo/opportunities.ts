import type { OpportunityStatus } from '../vocabulary.ts';
import { between, pickOne, type Random } from './random.ts';
import { projects } from './summaries.ts';
import { randomFor, type World, workday } from './world.ts';

export type DemoOpportunity = {
  index: number;
  account: number;
  status: OpportunityStatus;
  openedDay: number;
  closedDay: number | undefined;
};

/** The first deals are large and about to close, and a strong partner is on each: what to do first is no question. */
export const urgentOpportunities = 3;

/** Deals take turns to close in each twelfth of a year. */
const dozen = 12;

/** These dozens are all won, and close a fortnight apart: every month has a deal that a partner helped to win. */
const steadyDozens: Record<number, number> = { 2: 0.25, 4: 0.75 };

/** Closed at some point in the last twelve months, or open for at most seven. */
export function opportunityAt(world: World, index: number): DemoOpportunity {
  const random = randomFor(world, 'opportunity', index);
  const isUrgent = index < urgentOpportunities;
  const roll = random();
  const steady = steadyDozens[Math.floor(index / dozen)];
  const status = steady ? 'won' : isUrgent || roll < 0.45 ? 'open' : roll < 0.78 ? 'won' : 'lost';
  // Every fourth account never has a deal. The others take turns, so the deals of an account can be computed.
  const turn = index % opportunityAccounts(world);
  const account = turn + Math.floor(turn / 3);
  if (status === 'open') {
    const age = isUrgent ? 60 + 10 * index : 2 + Math.floor(200 * random() ** 1.5);
    return { index, account, status, openedDay: workday(world.today - age), closedDay: undefined };
  }
  const closedAge = 1 + Math.floor(360 * (((index % dozen) + (steady ?? random())) / dozen) ** 1.1);
  const openedDay = workday(world.today - closedAge - between(random, 15, 125));
  return { index, account, status, openedDay, closedDay: workday(world.today - closedAge) };
}

export function hasOpenOpportunity(world: World, account: number): boolean {
  if (account % 4 === 3) return false;
  const step = opportunityAccounts(world);
  for (let index = account - Math.floor(account / 4); index < world.size.opportunities; index += step) {
    if (opportunityAt(world, index).status === 'open') return true;
  }
  return false;
}

/** A random deal that suits, or undefined if a few tries find none. */
export function pickOpportunity(
  world: World,
  random: Random,
  suits: (opportunity: DemoOpportunity) => boolean,
): DemoOpportunity | undefined {
  if (world.size.opportunities === 0) return undefined;
  for (let attempt = 0; attempt < 8; attempt++) {
    const opportunity = opportunityAt(world, Math.floor(random() * world.size.opportunities));
    if (suits(opportunity)) return opportunity;
  }
  return undefined;
}

/** All deals of a company are about the same project, so that evidence for one can also be evidence for another. */
export function projectOf(world: World, account: number): string {
  return pickOne(randomFor(world, 'project', account), projects);
}

/** The project as a summary names it, so that nobody takes a later deal of the company for the first. */
export function projectPhaseOf(world: World, { index, account }: DemoOpportunity): string {
  const phase = phaseOf(world, index);
  const project = projectOf(world, account);
  return phase === 1 ? project : `${ordinals[phase] ?? `${phase}th`} phase of the ${project}`;
}

const ordinals: Record<number, string> = { 2: 'second', 3: 'third' };

/** 1 for the first deal of its company, 2 for the second, and so on. */
export function phaseOf(world: World, opportunity: number): number {
  return 1 + Math.floor(opportunity / opportunityAccounts(world));
}

function opportunityAccounts(world: World): number {
  return world.size.accounts - Math.floor(world.size.accounts / 4);
}
