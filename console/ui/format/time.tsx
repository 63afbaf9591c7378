import { relative } from './relative.ts';

/** A relative time, with the exact one as a tooltip. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {relative(new Date(at), new Date())}
    </time>
  );
}

export function Exact({ at }: { at: string }) {
  return <time dateTime={at}>{formatTime(at)}</time>;
}

/** A date without a time: the same day in every time zone. */
export function Day({ day }: { day: string }) {
  return <time dateTime={day}>{shortMonth(date.format(new Date(day)))}</time>;
}

/** `2026-02` reads "Feb 2026". */
export function formatMonth(month: string): string {
  return monthOfYear.format(new Date(`${month}-01`));
}

function formatTime(at: string): string {
  return shortMonth(exact.format(new Date(at)));
}

/** British English writes “Sept”; all other texts of the product write “Sep”. */
function shortMonth(text: string): string {
  return text.replace('Sept', 'Sep');
}

const exact = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const monthOfYear = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' });
