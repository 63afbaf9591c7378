import { useInfiniteQuery } from '@tanstack/react-query';
import type { AccountActivity, AccountDetail, Partner } from '../../src/client/types.ts';
import { partnerTypeWords, relationshipWords } from '../../src/vocabulary.ts';
import { NotTheSame } from '../matches/not-the-same.tsx';
import { matchWords } from '../partners/match-words.ts';
import { useSession } from '../session/session.tsx';
import { PartnerLink } from '../ui/entity-links.tsx';
import { Loading, Problem, useRetry } from '../ui/feedback.tsx';
import { Ago } from '../ui/format/time.tsx';
import { capitalize } from '../ui/format/words.ts';
import { TableHead } from '../ui/listing.tsx';
import { Section } from '../ui/section.tsx';
import { accountActivities, accountSignals } from './queries.ts';

type Named = Pick<Partner, 'id' | 'name' | 'type'>;
type Overlap = AccountDetail['overlaps'][number];
type Row = { partner: Named; overlap?: Overlap; latest?: AccountActivity };

/** Every partner that shares the account, did something on it, or has a signal on it. */
export function AccountPartners({ account }: { account: AccountDetail }) {
  const { client } = useSession();
  const lists = [
    useInfiniteQuery(accountActivities(client, account.id)),
    useInfiniteQuery(accountSignals(client, account.id)),
  ] as const;
  const [activities, signals] = [lists[0].data, lists[1].data];
  const retry = useRetry();
  const failed = lists.find(({ isError }) => isError);
  const rows = new Map<string, Row>();
  for (const overlap of account.overlaps) rows.set(overlap.partner.id, { partner: overlap.partner, overlap });
  for (const activity of activities?.pages.flatMap((page) => page.data) ?? []) {
    const row = rows.get(activity.partner.id) ?? { partner: activity.partner };
    // Newest first.
    rows.set(activity.partner.id, { latest: activity, ...row });
  }
  for (const { partner } of signals?.pages.flatMap((page) => page.data) ?? [])
    if (!rows.has(partner.id)) rows.set(partner.id, { partner });
  return (
    <Section id="partners" title="Partners">
      {rows.size === 0 && lists.some(({ isPending }) => isPending) ? (
        <Loading shape="table" rows={2} />
      ) : rows.size === 0 && failed ? (
        <Problem error={failed.error} retry={retry} />
      ) : rows.size === 0 ? (
        <p className="soft">No partner shares this account or has worked on it.</p>
      ) : (
        <table className="table stacking wide">
          <TableHead columns={['Partner', 'Shared account']} numbers={['Latest activity']} />
          <tbody>
            {[...rows.values()].map((row) => (
              <PartnerRow key={row.partner.id} account={account} {...row} />
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function PartnerRow({ account, partner, overlap, latest }: Row & { account: AccountDetail }) {
  return (
    <tr>
      <td>
        <PartnerLink partner={partner} className="strong" />
        <div className="soft small">{capitalize(partnerTypeWords[partner.type])}</div>
      </td>
      <td data-label="Shared account">
        {overlap ? (
          <>
            {capitalize(relationshipWords[overlap.partner_account.relationship])}:{' '}
            <bdi>{overlap.partner_account.name}</bdi>
            <div className="soft small">
              {matchWords(overlap)}, {Math.round(overlap.confidence * 100)}% sure
            </div>
            <NotTheSame pair={{ ...overlap, account }} />
          </>
        ) : (
          <span className="soft">Not shared</span>
        )}
      </td>
      <td className="number" data-label="Latest activity">
        {latest ? <Ago at={latest.occurred_at} /> : <span className="soft">None</span>}
      </td>
    </tr>
  );
}
