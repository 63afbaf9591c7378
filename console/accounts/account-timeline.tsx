import { useInfiniteQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.tsx';
import { ActivityTimeline } from '../ui/activity-timeline.tsx';
import { PartnerLink } from '../ui/entity-links.tsx';
import { Listing } from '../ui/listing.tsx';
import { Section } from '../ui/section.tsx';
import { accountActivities } from './queries.ts';

type Props = { accountId: string /** Activity on this deal stands out. */; opportunityId?: string };

/** What all partners did on an account, newest first. */
export function AccountTimeline({ accountId, opportunityId }: Props) {
  const { client } = useSession();
  const query = useInfiniteQuery(accountActivities(client, accountId));
  return (
    <Section id="timeline" title="Partner activity" className="below activity">
      {opportunityId && (
        <p className="soft small">All activity on the account. Activity on this deal is marked.</p>
      )}
      <Listing query={query} empty={<p className="soft">No activity recorded yet.</p>} more="activity">
        {(activities) => (
          <ActivityTimeline
            activities={activities.map((activity) => ({
              ...activity,
              where: <PartnerLink partner={activity.partner} />,
              note: opportunityId && activity.opportunity_id === opportunityId ? 'this deal' : undefined,
            }))}
          />
        )}
      </Listing>
    </Section>
  );
}
