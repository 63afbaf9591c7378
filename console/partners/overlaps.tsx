import { useInfiniteQuery } from '@tanstack/react-query';
import type { Overlap } from '../../src/client/types.ts';
import { relationshipWords } from '../../src/vocabulary.ts';
import { NotTheSame } from '../matches/not-the-same.tsx';
import { useSession } from '../session/session.tsx';
import { Download } from '../ui/download.tsx';
import { AccountLink } from '../ui/entity-links.tsx';
import { ListTable } from '../ui/listing.tsx';
import { Section } from '../ui/section.tsx';
import { matchWords } from './match-words.ts';
import { partnerOverlaps } from './queries.ts';

export function Overlaps({ partnerId }: { partnerId: string }) {
  const { client } = useSession();
  const query = useInfiniteQuery(partnerOverlaps(client, partnerId));
  return (
    <Section
      id="overlaps"
      title="Shared accounts"
      action={<Download name="shared-accounts" csv={() => client.partners.overlaps(partnerId).csv()} />}
    >
      <ListTable
        query={query}
        empty={<p className="soft">You and this partner share no accounts.</p>}
        className="table stacking overlaps"
        columns={['Account', 'Matched by']}
        numbers={['Confidence']}
        action="Correct the match"
        row={(overlap) => <Row key={overlap.account.id} overlap={overlap} partnerId={partnerId} />}
        more="accounts"
      />
    </Section>
  );
}

function Row({ overlap, partnerId }: { overlap: Overlap; partnerId: string }) {
  const { account, partner_account, confidence } = overlap;
  return (
    <tr>
      <td>
        <AccountLink account={account} className="strong" />
        <div className="soft small">
          Partner's {relationshipWords[partner_account.relationship]}: <bdi>{partner_account.name}</bdi>
        </div>
      </td>
      <td data-label="Matched by">
        <span className="key">{matchWords(overlap)}</span>
      </td>
      <td className="number" data-label="Confidence">
        {Math.round(confidence * 100)}%
      </td>
      <td>
        <NotTheSame pair={{ account, partner_account, partner: { id: partnerId } }} />
      </td>
    </tr>
  );
}
