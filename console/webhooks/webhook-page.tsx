import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Webhook } from '../../src/client/types.ts';
import { webhookDetail } from '../session/queries.ts';
import { useSession } from '../session/session.tsx';
import { ArrivalHeading, Loading, Problem, StateMark } from '../ui/parts.tsx';
import { Exact } from '../ui/time.tsx';
import { eventWords } from '../ui/words.ts';
import { Deliveries } from './deliveries.tsx';
import { RedeliverSpan } from './redeliver-span.tsx';
import { SecretRotation } from './secret.tsx';
import { WebhookActions } from './webhook-actions.tsx';

export function WebhookPage() {
  const { client } = useSession();
  const { webhookId } = useParams({ from: '/webhooks/$webhookId' });
  const { data, error, isPending, refetch } = useQuery(webhookDetail(client, webhookId));
  return (
    <div className="webhook" key={webhookId}>
      <p className="back">
        <Link to="/webhooks">Webhooks</Link> <span aria-hidden="true">/</span>
      </p>
      <title>{`${data ? new URL(data.url).host : 'Webhook'} · Partner Signals`}</title>
      {isPending && <Loading />}
      {error && !data && <Problem error={error} retry={() => void refetch()} />}
      {data && <Detail webhook={data} />}
    </div>
  );
}

function Detail({ webhook }: { webhook: Webhook }) {
  const { id, url, events, status, disabled_reason, created_at } = webhook;
  return (
    <>
      <ArrivalHeading level={1}>
        <span className="address">{url}</span>
      </ArrivalHeading>
      <p className="webhook-state">
        <StateMark state={status} />
        <span className="soft">
          Sent when: {events.map((event) => eventWords[event]).join(', ')}. Registered{' '}
          <Exact at={created_at} />.
        </span>
      </p>
      {status === 'disabled' && (
        <Alert className="refused">
          Nothing is sent to this webhook: {disabled_reason}. When its receiver is well, enable it and
          redeliver what it missed; events are kept for 30 days.
        </Alert>
      )}
      <WebhookActions webhook={webhook} />
      <Deliveries webhook={webhook} />
      <div className="columns">
        <RedeliverSpan webhookId={id} />
        <SecretRotation webhookId={id} />
      </div>
    </>
  );
}
