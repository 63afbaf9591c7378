import { dateRange } from '../vocabulary.ts';

export const firstMoment = new Date(`${dateRange.first}T00:00:00.000Z`);
export const lastMoment = new Date(`${dateRange.last}T23:59:59.999Z`);

const dateTime = /^(\d{4})-(\d{2})-(\d{2})[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
const dateOnly = /^(\d{4})-(\d{2})-(\d{2})$/;

/** A full ISO 8601 timestamp with its offset; `undefined` for anything else, a 30th of February included. */
export function parseTimestamp(text: string): Date | undefined {
  const match = dateTime.exec(text);
  if (!match || !isDay(match)) return undefined;
  const date = new Date(text.toUpperCase());
  // The offset can carry it out of range.
  return date >= firstMoment && date <= lastMoment ? date : undefined;
}

export function isDate(text: string): boolean {
  const match = dateOnly.exec(text);
  return match !== null && isDay(match);
}

/** JavaScript rolls a day that does not exist over into the next month. */
function isDay([, year, month, day]: RegExpExecArray): boolean {
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return date >= firstMoment && date.getUTCDate() === Number(day);
}

/** The UTC date of a date or a timestamp. */
function utcDay(text: string): string {
  return new Date(text).toISOString().slice(0, 10);
}

/** The days of a period, each left out where it is not given. */
export function utcPeriod({ closed_after, closed_before }: Period): Period {
  return {
    ...(closed_after !== undefined && { closed_after: utcDay(closed_after) }),
    ...(closed_before !== undefined && { closed_before: utcDay(closed_before) }),
  };
}

/** In which deals were closed; both days are exclusive. */
export type Period = { closed_after?: string; closed_before?: string };
