import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AccountDetail, MatchSuggestion } from '../../src/client/types.ts';
import { relationshipWords } from '../../src/vocabulary.ts';
import { accountDetail } from '../accounts/queries.ts';
import { suggestionQueue } from '../matches/queries.ts';
import { useSession } from '../session/session.tsx';
import { PartnerLink } from '../ui/entity-links.tsx';
import { Problem, useRetry } from '../ui/feedback.tsx';
import { capitalize, countryName } from '../ui/format/words.ts';

type Props = { suggestion: MatchSuggestion; onChoose(suggestion: MatchSuggestion): void };

/** Two companies side by side, with everything known about each. */
export function Comparison({ suggestion, onChoose }: Props) {
  const { client } = useSession();
  const { account, partner, partner_account: theirs, score, reasons } = suggestion;
  const query = useQuery(accountDetail(client, account.id));
  const ours = query.data;
  const retry = useRetry();
  return (
    <section className="card comparison" aria-label={`${account.name} and ${theirs.name}`}>
      <p className="comparison-why">
        <span className="note-tag">{Math.round(score * 100)}% likely</span> {capitalize(reasons.join('; '))}.
      </p>
      <table className="table comparison-table">
        <thead>
          <tr>
            <th scope="col">
              <span className="unseen">Field</span>
            </th>
            <th scope="col">Your account</th>
            <th scope="col">
              <PartnerLink partner={partner} />
            </th>
          </tr>
        </thead>
        <tbody>
          <Row name="Name" same={isSame(account.name, theirs.name)}>
            <Link to="/accounts/$accountId" params={{ accountId: account.id }} className="strong">
              <Marked name={account.name} other={theirs.name} />
            </Link>
            <span className="strong">
              <Marked name={theirs.name} other={account.name} />
            </span>
          </Row>
          <Row name="Domain" same={ours && isSame(domainsOf(ours), theirs.domain)}>
            {ours && domainsOf(ours)}
            {theirs.domain}
          </Row>
          <Row name="Country" same={ours && isSame(ours.country, theirs.country)}>
            {ours && (ours.country ? countryName(ours.country) : null)}
            {theirs.country && countryName(theirs.country)}
          </Row>
          <Row name="Registry number" same={ours && isSame(ours.registry_number, theirs.registry_number)}>
            {ours?.registry_number}
            {theirs.registry_number}
          </Row>
          <Row name="Relationship">
            {ours && (ours.owner ? `Account of ${ours.owner.name}` : 'Account in your CRM')}
            {capitalize(relationshipWords[theirs.relationship])}
          </Row>
          <Row name="ID">
            <bdi>{account.crm_id}</bdi>
            <bdi>{theirs.external_id}</bdi>
          </Row>
        </tbody>
      </table>
      {query.error && !ours && <Problem error={query.error} retry={retry} />}
      <Others suggestion={suggestion} onChoose={onChoose} />
    </section>
  );
}

type RowProps = { name: string; same?: boolean | null | undefined; children: [ReactNode, ReactNode] };

/** Shows with a word and a color whether the two differ, if both are known. */
function Row({ name, same, children: [ours, theirs] }: RowProps) {
  return (
    <tr data-differs={same === false}>
      <th scope="row">
        {name} {same === false && <span className="note-tag not-counted">differs</span>}
        {same === true && <span className="note-tag">same</span>}
      </th>
      <td data-label="Yours">{ours === undefined ? '…' : ours || <span className="soft">Not known</span>}</td>
      <td data-label="Partner's">{theirs || <span className="soft">Not known</span>}</td>
    </tr>
  );
}

/** Null if one of them is unknown. */
function isSame(ours: string | null, theirs: string | null): boolean | null {
  if (!ours || !theirs) return null;
  return ours.toLowerCase().split(', ').includes(theirs.toLowerCase());
}

function domainsOf({ domain, extra_domains }: AccountDetail): string | null {
  return [domain, ...extra_domains].filter(Boolean).join(', ') || null;
}

/** Underlines the words that the other name does not have. */
function Marked({ name, other }: { name: string; other: string }) {
  const known = new Set(wordsOf(other));
  return (
    <bdi>
      {name.split(/(\s+)/).map((part, index) =>
        wordsOf(part).some((word) => !known.has(word)) ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the words of a name never move
          <mark key={index}>{part}</mark>
        ) : (
          part
        ),
      )}
    </bdi>
  );
}

function wordsOf(name: string): string[] {
  return (
    name
      .toLowerCase()
      .normalize('NFKD')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Other candidates for the same account. */
function Others({ suggestion, onChoose }: Props) {
  const { client } = useSession();
  const query = useInfiniteQuery(suggestionQueue(client, { account_id: suggestion.account.id }));
  const others = (query.data?.pages.flatMap((page) => page.data) ?? []).filter(
    ({ id }) => id !== suggestion.id,
  );
  if (others.length === 0) return null;
  return (
    <div className="others">
      <h2>
        Other candidates for <bdi>{suggestion.account.name}</bdi>
      </h2>
      <ul>
        {others.map((other) => (
          <li key={other.id}>
            <button type="button" className="choice" onClick={() => onChoose(other)}>
              <bdi>{other.partner_account.name}</bdi>{' '}
              <span className="soft small">
                <bdi>{other.partner.name}</bdi>, {Math.round(other.score * 100)}% likely
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
