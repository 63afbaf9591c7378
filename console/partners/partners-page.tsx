import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { partnerTypes, partnerTypeWords } from '../../src/vocabulary.ts';
import { useSession } from '../session/session.tsx';
import { Choice, Choices } from '../ui/choices.tsx';
import { Loading, LoadMore, Problem } from '../ui/feedback.tsx';
import { capitalize } from '../ui/words.ts';
import { partnerList } from './queries.ts';

/** 1 is the highest tier of the partner program. */
export const partnerTiers = [1, 2, 3, 4];

export function PartnersPage() {
  const { client } = useSession();
  const filters = useSearch({ from: '/partners' });
  const query = useInfiniteQuery(partnerList(client, filters));
  const partners = query.data?.pages.flatMap((page) => page.data) ?? [];

  return (
    <div className="partners">
      <title>Partners · Partner Signals</title>
      <div className="page-head">
        <h1>Partners</h1>
      </div>
      <search className="filters" aria-label="Filters">
        <Choices label="Type">
          <Choice to="/partners" search={{ ...filters, type: undefined }} chosen={!filters.type}>
            All
          </Choice>
          {partnerTypes.map((type) => (
            <Choice key={type} to="/partners" search={{ ...filters, type }} chosen={filters.type === type}>
              {capitalize(partnerTypeWords[type])}
            </Choice>
          ))}
        </Choices>
        <Choices label="Tier">
          <Choice to="/partners" search={{ ...filters, tier: undefined }} chosen={!filters.tier}>
            All
          </Choice>
          {partnerTiers.map((tier) => (
            <Choice key={tier} to="/partners" search={{ ...filters, tier }} chosen={filters.tier === tier}>
              {tier}
            </Choice>
          ))}
        </Choices>
      </search>
      <div className="card">
        {query.isPending && <Loading rows={8} />}
        {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
        {query.isSuccess && partners.length === 0 && (
          <NoPartners filtered={!!(filters.type || filters.tier)} />
        )}
        {partners.length > 0 && (
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Type</th>
                <th scope="col" className="number">
                  Tier
                </th>
              </tr>
            </thead>
            <tbody>
              {partners.map(({ id, name, type, tier }) => (
                <tr key={id}>
                  <td>
                    <Link to="/partners/$partnerId" params={{ partnerId: id }} className="strong">
                      <bdi>{name}</bdi>
                    </Link>
                  </td>
                  <td className="soft">{capitalize(partnerTypeWords[type])}</td>
                  <td className="number">{tier}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      <LoadMore pages={query} what="partners" />
    </div>
  );
}

function NoPartners({ filtered }: { filtered: boolean }) {
  return (
    <div className="message" role="status">
      <p className="strong">{filtered ? 'No partners match these filters.' : 'There are no partners yet.'}</p>
      {filtered ? (
        <Link to="/partners" search={{}}>
          Show all partners
        </Link>
      ) : (
        <p className="soft">
          Send your partners to <code>/ingest/v1/partners</code>.
        </p>
      )}
    </div>
  );
}
