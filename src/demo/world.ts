import { type Country, countries } from './countries.ts';
import { type Company, companyName } from './names.ts';
import { pickOne, type Random, randomOf } from './random.ts';

export type DatasetSize = { partners: number; accounts: number; opportunities: number; activities: number };

/**
 * Everything is a function of the world and an index: a row recomputes what it needs to know about other rows, so that
 * nothing has to be stored.
 */
export type World = { size: DatasetSize; seed: number; nowMs: number; today: number };

const dayMs = 86_400_000;

export function makeWorld(size: DatasetSize, seed: number, now: Date): World {
  return { size, seed, nowMs: now.getTime(), today: Math.floor(now.getTime() / dayMs) };
}

const streams = {
  names: 1,
  country: 2,
  account: 3,
  partners: 4,
  opportunity: 5,
  project: 6,
  opportunityRow: 7,
  match: 8,
  episode: 9,
};

/** Each purpose has its own random numbers, so that changing one kind of row leaves the others unchanged. */
export function randomFor(world: World, stream: keyof typeof streams, index: number): Random {
  return randomOf(world.seed, streams[stream], index);
}

/** Indices from `size.accounts` up are companies that are not our accounts. */
export function companyOf(world: World, index: number): Company {
  return companyName(index, seedOffset(world));
}

/** Where the fixed list of names starts in this world. */
export function seedOffset(world: World): number {
  return Math.floor(randomFor(world, 'names', 0)() * 1e6);
}

export function countryOf(world: World, index: number): Country {
  return pickOne(randomFor(world, 'country', index), countries);
}

/** Each account has two partners, so that activity concentrates and partners sometimes compete. */
export function partnerOf(world: World, account: number, rank: 0 | 1): number {
  const { partners } = world.size;
  const random = randomFor(world, 'partners', account);
  const first = Math.floor(partners * random() ** 1.5);
  if (rank === 0 || partners === 1) return first;
  return (first + 1 + Math.floor(random() * (partners - 1))) % partners;
}

export const partnerKey = (index: number) => key('partner', index, 2);
export const accountKey = (index: number) => key('acc', index, 4);
export const opportunityKey = (index: number) => key('deal', index, 4);
export const partnerAccountKey = (index: number) => key('pa', index, 4);
export const activityKey = (index: number) => key('act', index, 5);

function key(prefix: string, index: number, digits: number): string {
  return `${prefix}-${String(index + 1).padStart(digits, '0')}`;
}

/** Moves Saturdays and Sundays to the Friday before, which keeps the order of days. */
export function workday(day: number): number {
  const sinceSunday = (day + 4) % 7;
  if (sinceSunday === 6) return day - 1;
  return sinceSunday === 0 ? day - 2 : day;
}

export function formatDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

export function isoMoment(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** A time in office hours on that day, but never in the future. */
export function momentOf(world: World, day: number, random: Random): number {
  const startMs = day * dayMs;
  const atMs = startMs + Math.floor((7 + random() * 11) * 3600) * 1000;
  return atMs <= world.nowMs ? atMs : startMs + Math.floor(random() * (world.nowMs - startMs));
}
