import type { SignalPerformance } from '../../client/types.ts';
import { tableOf } from '../terminal/output.ts';
import type { Column } from '../terminal/table.ts';
import { counted, formatNumber, money } from '../terminal/values.ts';
import { inWords } from '../terminal/words.ts';

type Row = SignalPerformance['total'] & { what: string };

/** A table by type and one by partner. */
export function performanceLines(performance: SignalPerformance): string {
  const { fired_after, fired_before, currency, unconverted_deals, total, by_type, by_partner } = performance;
  const types = [...by_type.map((row) => ({ what: inWords(row.type), ...row })), { what: 'all', ...total }];
  const partners = by_partner.map((row) => ({ what: row.partner.name, ...row }));
  const lacking = `${counted(unconverted_deals, 'won deal has', 'won deals have')} no exchange rate and ${unconverted_deals === 1 ? 'is' : 'are'} missing from the values.`;
  return [
    `Signals that fired after ${fired_after} and before ${fired_before}:`,
    table('TYPE', types, currency),
    ...(partners.length > 0 ? [table('PARTNER', partners, currency)] : []),
    ...(unconverted_deals > 0 ? [lacking] : []),
  ].join('\n\n');
}

function table(head: string, rows: Row[], currency: string | null): string {
  const share = (
    name: 'taken_up' | 'handled' | 'dismissed' | 'expired_untouched',
    head: string,
  ): Column<Row> => ({
    head,
    value: (row) =>
      row.fired === 0 ? '' : `${formatNumber(row[name])} (${Math.round((row[name] / row.fired) * 100)} %)`,
    right: true,
  });
  const won = (deals: keyof Row['deals'], head: string): Column<Row> => ({
    head,
    value: (row) => wonValue(row.deals[deals], currency),
    right: true,
    optional: true,
  });
  const columns: Column<Row>[] = [
    { head, value: ({ what }) => what, shrink: true },
    { head: 'FIRED', value: ({ fired }) => formatNumber(fired), right: true },
    share('taken_up', 'TAKEN UP'),
    share('handled', 'HANDLED'),
    share('dismissed', 'DISMISSED'),
    share('expired_untouched', 'UNTOUCHED'),
    {
      head: 'MEDIAN HOURS',
      value: ({ median_hours_to_first_action: hours }) => (hours === null ? '' : formatNumber(hours)),
      right: true,
    },
    won('with_handled', 'WON, HANDLED'),
    won('without_handled', 'WON, NOT HANDLED'),
  ];
  return tableOf(columns, rows).join('\n');
}

function wonValue(
  { won, won_value, converted_won_value }: Row['deals']['with_handled'],
  currency: string | null,
): string {
  if (won === 0) return '0';
  if (currency !== null && converted_won_value !== null)
    return `${won}: ${money(converted_won_value, currency)}`;
  return `${won}: ${won_value.map((part) => money(part.value, part.currency)).join(' + ')}`;
}
