import { Link } from '@tanstack/react-router';
import type { AttributionSimulation } from '../../src/client/types.ts';
import { type Tier, tiers, tierWords } from '../../src/vocabulary.ts';
import { OpportunityLink, PartnerLink } from '../ui/entity-links.tsx';
import { formatMoney, formatNumber, plural } from '../ui/format/numbers.ts';
import { Day } from '../ui/format/time.tsx';
import { TableHead } from '../ui/listing.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { TierTag } from '../ui/tags.tsx';

const shown = 50;

/** Today's credit next to the credit under the edited policy. */
export function SimulationResult({ simulation }: { simulation: AttributionSimulation }) {
  const { deals, before, after, changed, changes } = simulation;
  const currencies = [...new Set([...before, ...after].map(({ currency }) => currency))];
  const rows = tiers.flatMap((tier) =>
    currencies.flatMap((currency) => {
      const at = (counts: typeof before) =>
        counts.find((row) => row.tier === tier && row.currency === currency) ?? { records: 0, value: 0 };
      const [now, then] = [at(before), at(after)];
      return now.records + then.records === 0 ? [] : [{ tier, currency, now, then }];
    }),
  );
  return (
    <section aria-label="Preview" className="preview">
      <p className="strong" role="status">
        {changed === 0
          ? `No credit changes: all ${plural(deals, 'won deal')} would be credited as today.`
          : `${plural(changed, 'record')} of ${plural(deals, 'won deal')} would change.`}
      </p>
      <ScrollRegion label="Credit today and under this policy">
        <table className="table compact">
          <TableHead
            columns={['Tier']}
            numbers={['Records today', 'Under this policy', 'Value today', 'Under this policy']}
          />
          <tbody>
            {rows.map(({ tier, currency, now, then }) => (
              <tr key={`${tier} ${currency}`}>
                <td>
                  <TierTag tier={tier} />
                </td>
                <td className="number">{formatNumber(now.records)}</td>
                <td className="number" data-changed={now.records !== then.records}>
                  {formatNumber(then.records)}
                </td>
                <td className="number">{formatMoney(now.value, currency)}</td>
                <td className="number" data-changed={now.value !== then.value}>
                  {formatMoney(then.value, currency)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {changes.length > 0 && (
        <details>
          <summary>Records that would change</summary>
          <ul className="changes">
            {changes.slice(0, shown).map((change) => (
              <li key={`${change.opportunity.id} ${change.partner.id}`}>
                <p>
                  <OpportunityLink opportunity={change.opportunity} />,{' '}
                  <PartnerLink partner={change.partner} />, closed on <Day day={change.closed_date} />
                </p>
                <p className="soft small">
                  {inWords(change.tier_before)},{' '}
                  {formatMoney(change.credited_value_before, change.opportunity.currency)} →{' '}
                  {inWords(change.tier_after)},{' '}
                  {formatMoney(change.credited_value_after, change.opportunity.currency)}
                  {change.record_id && (
                    <>
                      {' · '}
                      <Link to="/attribution/$recordId" params={{ recordId: change.record_id }}>
                        evidence
                      </Link>
                    </>
                  )}
                </p>
              </li>
            ))}
          </ul>
          {changed > shown && (
            <p className="soft small">
              These are the first {shown} of {formatNumber(changed)}.
            </p>
          )}
        </details>
      )}
    </section>
  );
}

function inWords(tier: Tier | null): string {
  return tier ? tierWords[tier] : 'no credit';
}
