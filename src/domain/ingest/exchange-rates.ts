import {
  type ExchangeRateFact,
  findExchangeRateFacts,
  upsertExchangeRates,
} from '../../store/credit/exchange-rates.ts';
import { noChangedRows, type Writer } from './changed-rows.ts';
import { applyVersion, Ledger, type Outcome, wholeRow } from './ledger.ts';

const keyOf = ({ date, base, quote }: { date: string; base: string; quote: string }) =>
  `${date} ${base} ${quote}`;

/** Values are converted when they are read, so a rate changes nothing else. */
export const ingestExchangeRates: Writer<'exchange_rates'> = async (tx, orgId, rows, now) => {
  const keys = rows.map(({ row: { date, base, quote } }) => ({ date, base, quote }));
  const distinct = [...new Map(keys.map((key) => [keyOf(key), key])).values()];
  const ledger = new Ledger<ExchangeRateFact>(await findExchangeRateFacts(tx, orgId, distinct), keyOf);
  const outcomes = rows.map((entry): Outcome => {
    const { date, base, quote } = entry.row;
    const key = keyOf(entry.row);
    if (entry.form === 'withdrawal') return applyVersion(ledger, key, null, entry.row, now);
    const whole = wholeRow('exchange_rates', entry, ledger.get(key));
    if (!('row' in whole)) return whole;
    return applyVersion(ledger, key, { date, base, quote, rate: whole.row.rate }, entry.row, now);
  });
  const changed = ledger.changes().map(({ after }) => after);
  if (changed.length > 0) await upsertExchangeRates(tx, orgId, changed);
  return { outcomes, changedRows: noChangedRows() };
};
