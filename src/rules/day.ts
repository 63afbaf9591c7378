import { firstMoment, lastMoment } from '../contract/values/time.ts';

const dayMs = 86_400_000;

/** Whole UTC days since 1970. Every age and deadline counts in these, whatever the hour. */
export function dayNumber(at: Date): number {
  return Math.floor(at.getTime() / dayMs);
}

/** A source's clock may run a few minutes ahead, so a time in the future counts as today. */
export function ageDays(at: Date, now: Date): number {
  return Math.max(0, dayNumber(now) - dayNumber(at));
}

/** The first moment more than `days` days after the day of `from`: the last day counts in full. */
export function deadline(from: Date, days: number): Date {
  return dayStart(dayNumber(from) + days + 1);
}

/** Clamped to the first and last day that can be stored. */
export function dayStart(day: number): Date {
  return withinRange(new Date(day * dayMs));
}

export function withinRange(at: Date): Date {
  return at < firstMoment ? firstMoment : at > lastMoment ? lastMoment : at;
}

export function isoDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

export function daysBefore(day: string, days: number): string {
  return isoDay(dayStart(dayNumber(new Date(day)) - days));
}

/** For example, 24 Feb 2026. */
export function dayInWords(at: Date): string {
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
