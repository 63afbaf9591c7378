import type { SourceRecord } from './record.ts';
import type { Source } from './records.ts';

const columns = ['date', 'base', 'quote', 'rate'];

/**
 * The European Central Bank publishes its reference rates with a line for each day and a column for each currency, as
 * what one euro is worth in it; `N/A` where it has none. Other files stay as they are.
 */
export function oneRateEach(source: Source): Source {
  const [first, ...others] = source.columns;
  const currencies = others.filter((column) => /^[A-Z]{3}$/.test(column));
  // The lines of the bank end with a comma.
  const isTable = currencies.length > 0 && others.every((column) => /^([A-Z]{3}|column \d+)$/.test(column));
  if (first !== 'Date' || !isTable) return source;
  return { ...source, columns, records: unfolded(source.records, currencies) };
}

async function* unfolded(
  records: AsyncGenerator<SourceRecord>,
  currencies: string[],
): AsyncGenerator<SourceRecord> {
  for await (const record of records) {
    const { line, cells, problem } = record;
    if (problem !== undefined) yield record;
    else
      for (const quote of currencies) {
        const rate = String(cells[quote] ?? '').trim();
        if (rate === '' || rate === 'N/A') continue;
        const date = String(cells.Date);
        yield { line, cells: { date, base: 'EUR', quote, rate }, source: [date, 'EUR', quote, rate] };
      }
  }
}
