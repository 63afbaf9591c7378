import { useInfiniteQuery } from '@tanstack/react-query';
import type { Overlap } from '../../src/client/types.ts';
import { matchKindTable, relationshipWords } from '../../src/vocabulary.ts';
import { useSession } from '../session/session.tsx';
import { Download } from '../ui/download.tsx';
import { AccountLink } from '../ui/entity-links.tsx';
import { LoadMore } from '../ui/feedback.tsx';
import { ListTable } from '../ui/listing.tsx';
import { partnerOverlaps } from './queries.ts';

export function Overlaps({ partnerId }: { partnerId: string }) {
  const { client } = useSession();
  const query = useInfiniteQuery(partnerOverlaps(client, partnerId));
  return (
    <section className="card section" aria-labelledby="overlaps-title">
      <div className="section-head">
        <h2 id="overlaps-title">Shared accounts</h2>
        <Download name="shared-accounts" csv={() => client.partners.overlaps(partnerId).csv()} />
      </div>
      <ListTable
        query={query}
        empty={<p className="soft">You and this partner share no accounts.</p>}
        className="table stacking overlaps"
        columns={['Account', 'Matched by']}
        numbers={['Confidence']}
        row={(overlap) => <Row key={overlap.account.id} overlap={overlap} />}
      />
      <LoadMore pages={query} what="accounts" />
    </section>
  );
}

function Row({ overlap: { account, partner_account, matched_by, key, confidence } }: { overlap: Overlap }) {
  return (
    <tr>
      <td>
        <span className="strong">
          <AccountLink account={account} />
        </span>
        <div className="soft small">
          Partner's {relationshipWords[partner_account.relationship]}: <bdi>{partner_account.name}</bdi>
        </div>
      </td>
      <td>
        Same {matchKindTable[matched_by].words} <span className="soft key">({sharedValue(key)})</span>
      </td>
      <td className="number">{Math.round(confidence * 100)}%</td>
    </tr>
  );
}

/** `domain:acme.example` reads "acme.example", and `registry:NO:918273645` reads "918273645, Norway". */
function sharedValue(key: string): string {
  const [kind, ...rest] = key.split(':');
  if (kind === 'domain') return rest.join(':');
  const [country = '', ...value] = rest;
  return `${value.join(':')}, ${countryNames.of(country)}`;
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' });
