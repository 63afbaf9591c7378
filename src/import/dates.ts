import { firstMoment, isDate, lastMoment, parseTimestamp } from '../contract/values/time.ts';

export type DateOrder = 'dmy' | 'mdy';

/** A date as written, with `time` and `offset` only if they were given. */
export type WrittenDate = {
  day: string;
  time?: string;
  offset?: string;
  /** The order of day and month, if the date itself shows it. */
  shows?: DateOrder;
};
type DateProblem = { problem: string; unclear?: true };

const yearFirst = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+(.+))?$/;
const yearLast = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?:,? +(.+))?$/;
const timeOfDay =
  /^(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?\s*([ap]\.?m\.?)?\s*(z|utc|gmt|[+-]\d{2}:?\d{2})?$/i;

/** Milliseconds since 1970. Fourteen digits are more likely a date and a time without punctuation. */
const epoch = /^(\d{12,13}|\d{15}|-\d{12,14})$/;

/** Reads the date formats that CRMs export. */
export function readDate(text: string, order: DateOrder | undefined): WrittenDate | DateProblem {
  if (epoch.test(text)) {
    const at = new Date(Number(text));
    if (at < firstMoment || at > lastMoment) return notADate;
    const [day = '', time = ''] = at.toISOString().slice(0, -1).split('T');
    return { day, time, offset: 'Z' };
  }
  const iso = yearFirst.exec(text);
  if (iso) return written(iso[1], iso[2], iso[3], iso[4]);
  const local = yearLast.exec(text);
  if (!local) return notADate;
  const [, first, sign, second, year, time] = local;
  const shows = sign === '.' ? undefined : orderOf(Number(first), Number(second));
  const chosen = sign === '.' ? 'dmy' : (order ?? shows);
  if (!chosen) return { problem: 'can be day/month or month/day', unclear: true };
  const date = chosen === 'dmy' ? written(year, second, first, time) : written(year, first, second, time);
  return 'problem' in date || !shows ? date : { ...date, shows };
}

/**
 * A timestamp with its offset. A time without an offset is in `timeZone`, unless that carries it out of range; a date
 * alone means midnight UTC.
 */
export function toTimestamp({ day, time, offset }: WrittenDate, timeZone: string): string {
  if (time === undefined) return `${day}T00:00:00Z`;
  const local = `${day}T${time}`;
  if (offset) return local + offset;
  const zoned = local + offsetAt(local, timeZone);
  return parseTimestamp(zoned) ? zoned : `${local}Z`;
}

const notADate = { problem: 'is not a date, such as 2026-01-31, or a time, such as 2026-01-31 12:00' };

/** If one of the two cannot be a month, the other one is. */
function orderOf(first: number, second: number): DateOrder | undefined {
  if (first > 12) return 'dmy';
  return second > 12 ? 'mdy' : undefined;
}

function written(
  year: string | undefined,
  month = '',
  dayOfMonth = '',
  time: string | undefined,
): WrittenDate | DateProblem {
  const day = `${year}-${month.padStart(2, '0')}-${dayOfMonth.padStart(2, '0')}`;
  if (!isDate(day)) return notADate;
  if (time === undefined) return { day };
  const match = timeOfDay.exec(time.trim());
  if (!match) return notADate;
  const [, hour = '', minute, second = '00', fraction = '', half, zone] = match;
  const hours = half ? (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0) : Number(hour);
  const clock = `${String(hours).padStart(2, '0')}:${minute}:${second}${fraction}`;
  const offset = zone && (/^[zgu]/i.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`);
  if (!parseTimestamp(`${day}T${clock}${offset ?? 'Z'}`)) return notADate;
  return { day, time: clock, ...(offset ? { offset } : {}) };
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function offsetAt(local: string, timeZone: string): string {
  if (timeZone === 'UTC') return 'Z';
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    formatters.set(timeZone, formatter);
  }
  const offset = (at: Date): string =>
    formatter
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')
      // Long ago, offsets had seconds, which a timestamp cannot have.
      ?.value.slice('GMT'.length, 'GMT+00:53'.length) || 'Z';
  // Around a clock change, the first lookup can hit the wrong side of it; the second corrects that.
  return offset(new Date(`${local}${offset(new Date(`${local}Z`))}`));
}
