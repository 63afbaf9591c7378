import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../session/session.tsx';
import { PartnerLink } from '../ui/entity-links.tsx';
import { Problem, useRetry } from '../ui/feedback.tsx';
import { capitalize } from '../ui/format/words.ts';
import { Section } from '../ui/section.tsx';
import { suggestionQueue } from './queries.ts';

/** The open suggestions for an account, if there are any. */
export function AccountSuggestions({ accountId }: { accountId: string }) {
  const { client } = useSession();
  const query = useInfiniteQuery(suggestionQueue(client, { account_id: accountId }));
  const retry = useRetry();
  const suggestions = query.data?.pages.flatMap((page) => page.data) ?? [];
  if (suggestions.length === 0 && !query.error) return null;
  return (
    <Section id="suggestions" title="Possible matches">
      {query.error && <Problem error={query.error} retry={retry} />}
      <ul className="plain">
        {suggestions.map(({ id, partner, partner_account, score, reasons }) => (
          <li key={id}>
            <bdi className="strong">{partner_account.name}</bdi>{' '}
            <span className="soft">
              of <PartnerLink partner={partner} />, {Math.round(score * 100)}% likely
            </span>
            <div className="soft small">{capitalize(reasons.join('; '))}</div>
          </li>
        ))}
      </ul>
      <p>
        <Link to="/review" search={{ account_id: accountId }}>
          Review these matches
        </Link>
      </p>
    </Section>
  );
}
