import { dateRange } from '../../vocabulary.ts';

export const firstMoment = new Date(`${dateRange.first}T00:00:00.000Z`);
export const lastMoment = new Date(`${dateRange.last}T23:59:59.999Z`);

const dateTime = /^(\d{4})-(\d{2})-(\d{2})[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
const dateOnly = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Parses an ISO 8601 timestamp with an offset; `undefined` for anything else, including 30 February. */
export function parseTimestamp(text: string): Date | undefined {
  const match = dateTime.exec(text);
  if (!match || !isDay(match)) return undefined;
  const date = new Date(text.toUpperCase());
  // The offset can move it out of range.
  return date >= firstMoment && date <= lastMoment ? date : undefined;
}

export function isDate(text: string): boolean {
  const match = dateOnly.exec(text);
  return match !== null && isDay(match);
}

/** JavaScript would roll a day that does not exist over into the next month. */
function isDay([, year, month, day]: RegExpExecArray): boolean {
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return date >= firstMoment && date.getUTCDate() === Number(day);
}

/** The UTC date of a date or a timestamp. */
function utcDay(text: string): string {
  return new Date(text).toISOString().slice(0, 10);
}

export function utcPeriod({ closed_after, closed_before }: Period): Period {
  return {
    ...(closed_after !== undefined && { closed_after: utcDay(closed_after) }),
    ...(closed_before !== undefined && { closed_before: utcDay(closed_before) }),
  };
}

/** When deals closed; both days are exclusive. */
export type Period = { closed_after?: string; closed_before?: string };
