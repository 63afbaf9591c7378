import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { PartnerDetail } from '../../src/client/types.ts';
import { partnerTypeWords } from '../../src/vocabulary.ts';
import { useSession } from '../session/session.tsx';
import { ActivityTimeline } from '../ui/activity-timeline.tsx';
import { ArrivalHeading } from '../ui/arrival-heading.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Download } from '../ui/download.tsx';
import { AccountLink } from '../ui/entity-links.tsx';
import { LoadingPage } from '../ui/feedback.tsx';
import { formatNumber, plural } from '../ui/format/numbers.ts';
import { capitalize } from '../ui/format/words.ts';
import { Listing, Loaded, Together } from '../ui/listing.tsx';
import { PrintButton } from '../ui/print.tsx';
import { Section } from '../ui/section.tsx';
import { Overlaps } from './overlaps.tsx';
import { PartnerCredit, usePartnerCredit } from './partner-credit.tsx';
import { partnerActivities, partnerDetail, partnerOverlaps } from './queries.ts';

export function PartnerPage() {
  const { client } = useSession();
  const { partnerId } = useParams({ from: '/partners/$partnerId' });
  const query = useQuery(partnerDetail(client, partnerId));
  return (
    <div className="partner" key={partnerId}>
      <div className="page-head page-top">
        <Breadcrumbs page={query.data?.name}>
          <Link to="/partners">Partners</Link>
        </Breadcrumbs>
        <PrintButton />
      </div>
      <title>{`${query.data?.name ?? 'Partner'} · Partner Signals`}</title>
      <Loaded query={query} loading={<LoadingPage />}>
        {(partner) => <Detail partner={partner} />}
      </Loaded>
    </div>
  );
}

function Detail({ partner }: { partner: PartnerDetail }) {
  const { client } = useSession();
  const { summary, records } = usePartnerCredit(partner.id);
  const loading = [
    summary,
    records,
    useInfiniteQuery(partnerOverlaps(client, partner.id)),
    useInfiniteQuery(partnerActivities(client, partner.id)),
  ];
  return (
    <>
      <ArrivalHeading level={1}>
        <bdi>{partner.name}</bdi>
      </ArrivalHeading>
      <p className="soft">
        {[capitalize(partnerTypeWords[partner.type]), `tier ${partner.tier}`, partner.domain]
          .filter(Boolean)
          .join(' · ')}
      </p>
      <div className="figures">
        <Density partner={partner} />
        <div className="card figure">
          <h2>Active signals</h2>
          <p className="big">{formatNumber(partner.active_signal_count)}</p>
          <p className="soft">
            New or in progress. See{' '}
            <Link to="/signals" search={{ partner_id: partner.id }}>
              all signals with this partner
            </Link>
            .
          </p>
        </div>
      </div>
      <Together queries={loading}>
        <PartnerCredit partnerId={partner.id} />
        <div className="columns main-and-side">
          <Overlaps partnerId={partner.id} />
          <Activities partnerId={partner.id} />
        </div>
      </Together>
    </>
  );
}

function Density({ partner }: { partner: PartnerDetail }) {
  const {
    co_sold_opportunities: sold,
    shared_open_opportunities: shared,
    window_days,
  } = partner.co_sell_density;
  return (
    <div className="card figure">
      <h2>Co-sell density</h2>
      <p className="big">
        {partner.co_sell_density_score} <span className="soft small">of 100</span>
      </p>
      <meter
        className="meter"
        min={0}
        max={100}
        value={partner.co_sell_density_score}
        aria-label="Co-sell density"
      />
      <p className="soft">
        {shared === 0
          ? 'You share no open deals with this partner.'
          : `The partner worked with you on ${formatNumber(sold)} of ${plural(shared, 'shared open deal')} in the last ${window_days} days.`}
      </p>
    </div>
  );
}

function Activities({ partnerId }: { partnerId: string }) {
  const { client } = useSession();
  const query = useInfiniteQuery(partnerActivities(client, partnerId));
  return (
    <Section
      id="activities"
      title="Recent activity"
      action={<Download name="activities" csv={() => client.partners.activities(partnerId).csv()} />}
    >
      <Listing query={query} empty={<p className="soft">No activity recorded yet.</p>} more="activities">
        {(activities) => (
          <ActivityTimeline
            activities={activities.map((activity) => ({
              ...activity,
              where: <AccountLink account={activity.account} />,
            }))}
          />
        )}
      </Listing>
    </Section>
  );
}
