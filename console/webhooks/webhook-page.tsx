import { Alert } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Webhook } from '../../src/client/types.ts';
import { eventKindTable } from '../../src/vocabulary.ts';
import { useSession } from '../session/session.tsx';
import { ArrivalHeading } from '../ui/arrival-heading.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { LoadingPage } from '../ui/feedback.tsx';
import { Exact } from '../ui/format/time.tsx';
import { Loaded } from '../ui/listing.tsx';
import { StatusMark } from '../ui/tags.tsx';
import { Deliveries } from './deliveries.tsx';
import { webhookDeliveries, webhookDetail } from './queries.ts';
import { RedeliverSpan } from './redeliver-span.tsx';
import { SecretRotation } from './secret.tsx';
import { WebhookActions } from './webhook-actions.tsx';

export function WebhookPage() {
  const { client } = useSession();
  const { webhookId } = useParams({ from: '/webhooks/$webhookId' });
  const query = useQuery(webhookDetail(client, webhookId));
  const host = query.data && new URL(query.data.url).host;
  return (
    <div className="webhook" key={webhookId}>
      <Breadcrumbs page={host}>
        <Link to="/webhooks">Webhooks</Link>
      </Breadcrumbs>
      <title>{`${host ?? 'Webhook'} · Partner Signals`}</title>
      <Loaded query={query} loading={<LoadingPage />}>
        {(webhook) => <Detail webhook={webhook} />}
      </Loaded>
    </div>
  );
}

function Detail({ webhook }: { webhook: Webhook }) {
  const { id, url, events, status, disabled_reason, created_at } = webhook;
  const { client } = useSession();
  const deliveries = useInfiniteQuery(webhookDeliveries(client, id));
  return (
    <>
      <ArrivalHeading level={1}>
        <span className="address">{url}</span>
      </ArrivalHeading>
      <p className="webhook-state">
        <StatusMark status={status} />
        <span className="soft">
          Sends a request when {orList(events.map((event) => eventKindTable[event].words))}. Added{' '}
          <Exact at={created_at} />.
        </span>
      </p>
      {status === 'disabled' && (
        <Alert className="refused">
          This webhook is disabled and receives nothing. Reason: {disabled_reason}. Fix the receiver, enable
          the webhook, then redeliver the events it missed. Events are kept for 30 days.
        </Alert>
      )}
      <WebhookActions webhook={webhook} />
      <Deliveries webhook={webhook} />
      {/* Not before the deliveries, which would push them down. */}
      {!deliveries.isPending && (
        <div className="columns">
          <RedeliverSpan webhookId={id} />
          <SecretRotation webhookId={id} />
        </div>
      )}
    </>
  );
}

function orList(items: string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(items);
}
