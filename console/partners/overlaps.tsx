import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Overlap } from '../../src/client/types.ts';
import { partnerOverlaps } from '../session/queries.ts';
import { useSession } from '../session/session.tsx';
import { Loading, LoadMore, Problem } from '../ui/parts.tsx';
import { inWords } from '../ui/words.ts';

export function Overlaps({ partnerId }: { partnerId: string }) {
  const { client } = useSession();
  const query = useInfiniteQuery(partnerOverlaps(client, partnerId));
  const overlaps = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section className="card section" aria-labelledby="overlaps-title">
      <h2 id="overlaps-title">Accounts in common</h2>
      {query.isPending && <Loading />}
      {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isSuccess && overlaps.length === 0 && (
        <p className="soft">No account of yours matches one of the partner's.</p>
      )}
      {overlaps.length > 0 && (
        <table className="table stacking overlaps">
          <thead>
            <tr>
              <th scope="col">Account</th>
              <th scope="col">Matched by</th>
              <th scope="col" className="number">
                Confidence
              </th>
            </tr>
          </thead>
          <tbody>
            {overlaps.map((overlap) => (
              <Row key={overlap.account.id} overlap={overlap} />
            ))}
          </tbody>
        </table>
      )}
      <LoadMore pages={query} what="accounts" />
    </section>
  );
}

function Row({ overlap: { account, partner_account, matched_by, key, confidence } }: { overlap: Overlap }) {
  return (
    <tr>
      <td>
        <Link to="/signals" search={{ account_id: account.id }} className="strong">
          <bdi>{account.name}</bdi>
        </Link>
        <div className="soft small">
          {inWords(partner_account.relationship)} of the partner, as “<bdi>{partner_account.name}</bdi>”
        </div>
      </td>
      <td>
        {inWords(matched_by)}
        <div className="soft small key">{key.slice(key.indexOf(':') + 1)}</div>
      </td>
      <td className="number">{Math.round(confidence * 100)}%</td>
    </tr>
  );
}
