import { Link } from '@tanstack/react-router';
import type { Signal } from '../../src/client/types.ts';
import { OpportunityLink } from '../ui/entity-links.tsx';
import { Ago } from '../ui/format/time.tsx';
import { signalStatus } from '../ui/format/words.ts';
import { type ListQuery, ListTable } from '../ui/listing.tsx';
import { Section } from '../ui/section.tsx';
import { StatusMark, TypeTag } from '../ui/tags.tsx';

type Props = { query: ListQuery<Signal>; showOpportunity?: boolean };

/** The signals of an account or a deal. */
export function SignalTable({ query, showOpportunity }: Props) {
  return (
    <Section id="signals" title="Signals">
      <ListTable
        query={query}
        rows={3}
        empty={<p className="soft">No signal has fired here.</p>}
        className="table stacking wide"
        columns={['Signal', 'State']}
        numbers={['Priority', 'Fired']}
        row={(signal) => (
          <tr key={signal.id}>
            <td>
              <Link to="/signals/$signalId" params={{ signalId: signal.id }} className="strong">
                <bdi>{signal.partner.name}</bdi>
              </Link>{' '}
              <TypeTag type={signal.type} />
              {showOpportunity && signal.opportunity.stage !== 'prospective' && (
                <div className="soft small">
                  <OpportunityLink opportunity={signal.opportunity} />
                </div>
              )}
            </td>
            <td data-label="State">
              <StatusMark status={signalStatus(signal)} />
            </td>
            <td className="number" data-label="Priority">
              {signal.priority ?? <span className="soft">Ended</span>}
            </td>
            <td className="number" data-label="Fired">
              <Ago at={signal.fired_at} />
            </td>
          </tr>
        )}
        more="signals"
      />
    </Section>
  );
}
