import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../session/session.tsx';
import { AccountLink, PartnerLink } from '../ui/entity-links.tsx';
import { formatNumber } from '../ui/format/numbers.ts';
import { Loaded } from '../ui/listing.tsx';
import { Section } from '../ui/section.tsx';
import { waitingSuggestions } from './queries.ts';

const shown = 3;

/** Pairs that may be the same company and wait for a decision. */
export function Suggestions() {
  const { client } = useSession();
  const query = useQuery(waitingSuggestions(client));
  return (
    <Section id="review" title="Matches to review" action={<Link to="/review">Review</Link>}>
      <Loaded query={query} rows={4}>
        {({ data, has_more }) =>
          data.length === 0 ? (
            <p className="soft">No match is waiting for a decision.</p>
          ) : (
            <>
              <p>
                <span className="big">
                  {formatNumber(data.length)}
                  {has_more && '+'}
                </span>{' '}
                <span className="soft">
                  {data.length === 1 ? 'pair may be the same company.' : 'pairs may be the same company.'}
                </span>
              </p>
              <ul className="compact-list waiting">
                {data.slice(0, shown).map(({ id, account, partner, partner_account, score }) => (
                  <li key={id}>
                    <span>
                      <AccountLink account={account} />{' '}
                      <span className="soft small">
                        and <bdi>{partner_account.name}</bdi> of <PartnerLink partner={partner} />
                      </span>
                    </span>
                    <span className="value">{Math.round(score * 100)}%</span>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
