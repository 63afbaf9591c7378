const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** How long ago, or how far ahead, as people say it. */
export function relative(then: Date, now: Date): string {
  const seconds = (then.getTime() - now.getTime()) / 1000;
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  if (!unit) return 'just now';
  // "Yesterday" means the previous calendar day, not 24 to 48 hours ago.
  const count = unit[0] === 'day' ? calendarDay(then) - calendarDay(now) : Math.trunc(seconds / unit[1]);
  return words.format(count, unit[0]);
}

function calendarDay(at: Date): number {
  return Math.round(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / 86_400_000);
}
