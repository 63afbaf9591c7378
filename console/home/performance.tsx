import { useQuery } from '@tanstack/react-query';
import type { SignalPerformance } from '../../src/client/types.ts';
import { signalTypeWords } from '../../src/vocabulary.ts';
import { useSession } from '../session/session.tsx';
import { Download } from '../ui/download.tsx';
import { Loading } from '../ui/feedback.tsx';
import { formatNumber, formatWholeMoney, plural } from '../ui/format/numbers.ts';
import { capitalize } from '../ui/format/words.ts';
import { Loaded, TableHead } from '../ui/listing.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { Section } from '../ui/section.tsx';
import { TypeTag } from '../ui/tags.tsx';
import { signalPerformance } from './queries.ts';

/** What became of the signals of the last 90 days, by the rule that fired them. */
export function Performance() {
  const { client } = useSession();
  const query = useQuery(signalPerformance(client));
  return (
    <Section
      id="rules"
      title="How the rules perform"
      action={<Download name="signal-performance" csv={() => client.signals.performanceCsv()} />}
    >
      <Loaded query={query} loading={<Loading shape="table" rows={3} />}>
        {(performance) =>
          performance.total.fired === 0 ? (
            <p className="soft">No signal has fired in the last 90 days.</p>
          ) : (
            <>
              <ScrollRegion label="How the rules perform, last 90 days">
                <table className="table compact stacking">
                  <TableHead columns={['Rule']} numbers={columns.map(([name]) => name)} />
                  <tbody>
                    {performance.by_type.map((results) => (
                      <tr key={results.type}>
                        <th scope="row">
                          <TypeTag type={results.type} />
                        </th>
                        {columns.map(([name, of]) => (
                          <td key={name} className="number" data-label={name}>
                            {of(results)}
                          </td>
                        ))}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </ScrollRegion>
              <p className="soft small">{inWords(performance)} Based on signals fired in the last 90 days.</p>
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

type Results = SignalPerformance['total'];

const columns: [name: string, of: (results: Results) => string][] = [
  ['Fired', ({ fired }) => formatNumber(fired)],
  ['Taken up', ({ taken_up, fired }) => `${formatNumber(taken_up)}${share(taken_up, fired)}`],
  ['Handled', ({ handled }) => formatNumber(handled)],
  ['Dismissed', ({ dismissed }) => formatNumber(dismissed)],
  ['Expired untouched', ({ expired_untouched }) => formatNumber(expired_untouched)],
  [
    'Time to first action',
    ({ median_hours_to_first_action: hours }) => (hours === null ? '–' : duration(hours)),
  ],
];

function share(part: number, whole: number): string {
  return whole === 0 ? '' : ` (${Math.round((100 * part) / whole)}%)`;
}

/** The median. */
function duration(hours: number): string {
  if (hours < 1) return 'under 1 hour';
  return hours < 48 ? plural(Math.round(hours), 'hour') : plural(Math.round(hours / 24), 'day');
}

function inWords({ total: { deals }, by_type, currency }: SignalPerformance): string {
  const { with_handled, without_handled } = deals;
  const best = by_type.toSorted((a, b) => rate(b) - rate(a))[0];
  const value = with_handled.converted_won_value;
  const worth = currency && value !== null ? ` (${formatWholeMoney(value, currency)})` : '';
  return [
    best && rate(best) > 0 ? `${capitalize(signalTypeWords[best.type])} is taken up most often.` : '',
    with_handled.won + without_handled.won > 0
      ? `${plural(with_handled.won, 'deal')} with a handled signal ${with_handled.won === 1 ? 'was' : 'were'} won${worth}, ${formatNumber(without_handled.won)} without one.`
      : '',
  ].join(' ');
}

function rate({ taken_up, fired }: Results): number {
  return fired === 0 ? 0 : taken_up / fired;
}
