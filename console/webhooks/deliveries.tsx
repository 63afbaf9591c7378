import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Delivery, Webhook } from '../../src/client/types.ts';
import { useMay, useSession } from '../session/session.tsx';
import { Refresh } from '../ui/feedback.tsx';
import { formatNumber, plural } from '../ui/format/numbers.ts';
import { Ago, Exact } from '../ui/format/time.tsx';
import { capitalize } from '../ui/format/words.ts';
import { ListTable } from '../ui/listing.tsx';
import { Saved } from '../ui/outcome.tsx';
import { Section } from '../ui/section.tsx';
import { StatusMark } from '../ui/tags.tsx';
import { showDelivery, webhookDeliveries } from './queries.ts';
import { reloadDisabled, WebhookRefused } from './webhook-refused.tsx';

/** The delivery log of a webhook, newest first. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { client } = useSession();
  const mayWrite = useMay('write');
  const queries = useQueryClient();
  const query = useInfiniteQuery(webhookDeliveries(client, webhook.id));
  const redeliver = useMutation({
    mutationFn: (id: string) => client.webhooks.redeliver(id),
    onSuccess: ({ data }) => showDelivery(queries, data),
    onError: reloadDisabled(queries, webhook.id),
  });

  return (
    <Section
      id="deliveries"
      title="Deliveries"
      action={
        <Refresh
          list={['webhook', webhook.id, 'deliveries']}
          // The service may have disabled it after too many failures.
          also={{ queryKey: ['webhook', webhook.id], exact: true }}
        />
      }
      className="deliveries"
    >
      {redeliver.data && <Saved of={redeliver.data}>Redelivery queued.</Saved>}
      <WebhookRefused error={redeliver.error} />
      <ListTable
        query={query}
        empty={<p className="soft">No deliveries yet. Send a test to check that your receiver responds.</p>}
        className="table many-columns"
        columns={['Status', 'Event', 'Response', 'Attempts']}
        action="Redeliver"
        row={(delivery) => (
          <tr key={delivery.id}>
            <td>
              <StatusMark status={delivery.status} />
            </td>
            <td data-label="Event">
              {delivery.event_id ? <code>{delivery.event_id}</code> : 'Test event'}
              <div className="soft small">
                <Ago at={delivery.created_at} />
              </div>
            </td>
            <td data-label="Response">
              <Response delivery={delivery} />
            </td>
            <td data-label="Attempts">
              <Attempts delivery={delivery} />
            </td>
            <td className="number">
              <Button
                variant="default"
                size="xs"
                aria-label={`Redeliver ${delivery.event_id ?? 'test event'}`}
                disabled={!mayWrite || webhook.status === 'disabled' || redeliver.isPending}
                onClick={() => redeliver.mutate(delivery.id)}
              >
                Redeliver
              </Button>
            </td>
          </tr>
        )}
        more="deliveries"
      />
    </Section>
  );
}

/** The result of the last attempt. A delivery that was queued again still shows the previous one. */
function Response({ delivery }: { delivery: Delivery }) {
  const { status, attempts, response_code, response_body, error, latency_ms } = delivery;
  if (status === 'pending' && attempts === 0) return <span className="soft">Not sent yet</span>;
  return (
    <>
      {response_code === null ? 'Failed' : `HTTP ${response_code}`}
      {latency_ms !== null && (
        <span className="soft">
          {response_code === null ? ' after' : ' in'} {formatNumber(latency_ms)} ms
        </span>
      )}
      {error && <div className="small refused">{capitalize(error)}</div>}
      {response_body && (
        <details>
          <summary>Response body</summary>
          <pre className="response">{response_body}</pre>
        </details>
      )}
    </>
  );
}

function Attempts({ delivery: { attempts, attempted_at, next_attempt_at } }: { delivery: Delivery }) {
  return (
    <>
      {plural(attempts, 'attempt')}
      {attempted_at && (
        <div className="soft small">
          Last: <Ago at={attempted_at} />
        </div>
      )}
      {next_attempt_at && (
        <div className="soft small">
          Next: <Exact at={next_attempt_at} />
        </div>
      )}
    </>
  );
}
