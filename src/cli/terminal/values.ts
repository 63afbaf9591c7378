import { InvalidArgumentError, Option } from 'commander';
import type { Opportunity } from '../../client/types.ts';
import { isDate, parseTimestamp } from '../../contract/values/time.ts';
import { usageError } from './exit-codes.ts';

/** Parses the value of an option: a whole number from `min` to `max`. */
export function wholeNumber(min: number, max = 999_999_999): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new InvalidArgumentError(`Enter a whole number from ${min} to ${formatNumber(max)}.`);
    return value;
  };
}

/** Parses a point in time: a full timestamp, a UTC date, or a number of days or hours from now. */
export function parseMoment(direction: 'ahead' | 'back'): (text: string) => string {
  return (text) => {
    const [, amount, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
    const awayMs = Number(amount) * (unit === 'd' ? 86_400_000 : 3_600_000);
    const time = unit
      ? new Date(Date.now() + (direction === 'ahead' ? awayMs : -awayMs))
      : parseTimestamp(isDate(text) ? `${text}T00:00:00Z` : text);
    if (!time)
      throw new InvalidArgumentError(
        'Enter a timestamp (2027-01-31T12:00:00Z), a date (2027-01-31) or a duration (90d, 12h).',
      );
    return time.toISOString();
  };
}

/** An option whose value is sent to the service under this name. */
export function field(name: string, flags: string, description: string): Option {
  return Object.assign(new Option(flags, description), { attributeName: () => name });
}

/** An option that accepts one or more of the values, separated by commas. */
export function severalOf(flags: string, description: string, values: readonly string[]): Option {
  const option = new Option(flags, `${description}, separated by commas`).argParser((text) => {
    const given = text.split(',').map((part) => part.trim());
    const wrong = given.find((value) => !values.includes(value));
    if (wrong !== undefined) throw new InvalidArgumentError(`Allowed choices are ${values.join(', ')}.`);
    return given;
  });
  // For the help and for shell completion; `choices()` would accept a single value only.
  option.argChoices = [...values];
  return option;
}

/** Reads a JSON file, or standard input for `-`. */
export async function readJsonFile(file: string): Promise<unknown> {
  const [{ readFile }, { text: readAll }] = await Promise.all([
    import('node:fs/promises'),
    import('node:stream/consumers'),
  ]);
  const reading = file === '-' ? readAll(process.stdin) : readFile(file, 'utf8');
  const text = await reading.catch((error: Error) => {
    throw usageError(`Cannot read ${file}: ${error.message}`);
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError(`${file} is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/** `2026-01-31 12:00`; the column heading or label says that it is UTC. */
export function utc(timestamp: string | null | undefined): string {
  return timestamp ? timestamp.slice(0, 16).replace('T', ' ') : '';
}

export function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** Always with the currency: an organization can have deals in several currencies. */
export function money(value: number, currency: string | null): string {
  return `${amount(value, currency)} ${currency ?? '(no currency)'}`;
}

/** With the decimal places of the currency, unless it is a whole number. */
export function amount(value: number, currency: string | null): string {
  const { minimumFractionDigits = 2 } = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: currency ?? 'USD',
  }).resolvedOptions();
  const places = Number.isInteger(value) ? 0 : minimumFractionDigits;
  return value.toLocaleString('en-US', { minimumFractionDigits: places });
}

/** The value of a deal; a prospective one has none yet. */
export function opportunityValue({
  value,
  currency,
  stage,
}: Pick<Opportunity, 'value' | 'currency' | 'stage'>) {
  return stage === 'prospective' && value === 0 ? '' : money(value, currency);
}
