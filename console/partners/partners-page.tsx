import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { partnerTiers, partnerTypes, partnerTypeWords } from '../../src/vocabulary.ts';
import { useSession } from '../session/session.tsx';
import { Choice, Choices } from '../ui/choices.tsx';
import { LoadMore } from '../ui/feedback.tsx';
import { ListTable, NoRows } from '../ui/listing.tsx';
import { capitalize } from '../ui/words.ts';
import { partnerList } from './queries.ts';

export function PartnersPage() {
  const { client } = useSession();
  const filters = useSearch({ from: '/partners' });
  const query = useInfiniteQuery(partnerList(client, filters));

  return (
    <div className="partners">
      <title>Partners · Partner Signals</title>
      <div className="page-head">
        <h1>Partners</h1>
      </div>
      <search className="filters" aria-label="Filters">
        <Choices label="Type" values={partnerTypes} words={partnerTypeWords}>
          {(type, text) => (
            <Choice key={type} to="/partners" search={{ ...filters, type }} chosen={filters.type === type}>
              {text}
            </Choice>
          )}
        </Choices>
        <Choices label="Tier" values={partnerTiers}>
          {(tier, text) => (
            <Choice key={tier} to="/partners" search={{ ...filters, tier }} chosen={filters.tier === tier}>
              {text}
            </Choice>
          )}
        </Choices>
      </search>
      <div className="card">
        <ListTable
          query={query}
          rows={8}
          empty={
            <NoRows
              filtered={{ by: filters, what: 'partners', to: '/partners' }}
              none="There are no partners yet."
            >
              Send your partners to <code>/ingest/v1/partners</code>.
            </NoRows>
          }
          className="table"
          columns={['Name', 'Type']}
          numbers={['Tier']}
          row={({ id, name, type, tier }) => (
            <tr key={id}>
              <td>
                <Link to="/partners/$partnerId" params={{ partnerId: id }} className="strong">
                  <bdi>{name}</bdi>
                </Link>
              </td>
              <td className="soft">{capitalize(partnerTypeWords[type])}</td>
              <td className="number">{tier}</td>
            </tr>
          )}
        />
      </div>
      <LoadMore pages={query} what="partners" />
    </div>
  );
}
