import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Delivery, Webhook } from '../../src/client/types.ts';
import { showDelivery, webhookDeliveries } from '../session/queries.ts';
import { useSession } from '../session/session.tsx';
import { Saved } from '../ui/outcome.tsx';
import { Loading, LoadMore, Problem, StateMark } from '../ui/parts.tsx';
import { Ago, Exact } from '../ui/time.tsx';
import { formatNumber } from '../ui/words.ts';
import { rereadDisabled, WebhookRefused } from './webhook-refused.tsx';

/** The log of what was sent to a webhook, newest first. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const query = useInfiniteQuery(webhookDeliveries(client, webhook.id));
  const redeliver = useMutation({
    mutationFn: (id: string) => client.webhooks.redeliver(id),
    onSuccess: ({ data }) => showDelivery(queries, data),
    onError: rereadDisabled(queries, webhook.id),
  });
  const deliveries = query.data?.pages.flatMap((page) => page.data) ?? [];

  function refresh() {
    void queries.resetQueries({ queryKey: ['webhook', webhook.id, 'deliveries'] });
    // It may have been disabled for its failures.
    void queries.invalidateQueries({ queryKey: ['webhook', webhook.id], exact: true });
  }

  return (
    <section className="card section deliveries" aria-labelledby="deliveries-title">
      <div className="section-head">
        <h2 id="deliveries-title">Deliveries</h2>
        <Button variant="subtle" className="quiet" onClick={refresh}>
          Refresh
        </Button>
      </div>
      {redeliver.data && <Saved of={redeliver.data}>It is being sent again.</Saved>}
      <WebhookRefused error={redeliver.error} />
      {query.isPending && <Loading />}
      {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isSuccess && deliveries.length === 0 && (
        <p className="soft">Nothing was sent yet. Send a test to see whether its receiver answers.</p>
      )}
      {deliveries.length > 0 && (
        <table className="table stacking">
          <thead>
            <tr>
              <th scope="col">Status</th>
              <th scope="col">Event</th>
              <th scope="col">Answer</th>
              <th scope="col">Attempts</th>
              <th scope="col">
                <span className="unseen">Redeliver</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {deliveries.map((delivery) => (
              <tr key={delivery.id}>
                <td>
                  <StateMark state={delivery.status} />
                </td>
                <td>
                  {delivery.event_id ? <code>{delivery.event_id}</code> : 'Test'}
                  <div className="soft small">
                    <Ago at={delivery.created_at} />
                  </div>
                </td>
                <td>
                  <Answer delivery={delivery} />
                </td>
                <td>
                  <Attempts delivery={delivery} />
                </td>
                <td className="number">
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={`Redeliver ${delivery.event_id ?? 'the test'}`}
                    disabled={webhook.status === 'disabled' || redeliver.isPending}
                    onClick={() => redeliver.mutate(delivery.id)}
                  >
                    Redeliver
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <LoadMore pages={query} what="deliveries" />
    </section>
  );
}

/** Of the last attempt; a delivery that is queued again still holds that of the time before. */
function Answer({ delivery }: { delivery: Delivery }) {
  const { status, attempts, response_code, response_body, error, latency_ms } = delivery;
  if (status === 'pending' && attempts === 0) return <span className="soft">None yet</span>;
  return (
    <>
      {response_code ?? 'No answer'}
      {latency_ms !== null && (
        <span className="soft">
          {response_code ? ' in' : ' for'} {formatNumber(latency_ms)} ms
        </span>
      )}
      {error && <div className="small refusal">{error}</div>}
      {response_body && (
        <details>
          <summary>What it said</summary>
          <pre className="answer">{response_body}</pre>
        </details>
      )}
    </>
  );
}

function Attempts({ delivery: { attempts, attempted_at, next_attempt_at } }: { delivery: Delivery }) {
  return (
    <>
      {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
      {attempted_at && (
        <div className="soft small">
          Last <Ago at={attempted_at} />
        </div>
      )}
      {next_attempt_at && (
        <div className="soft small">
          Next <Exact at={next_attempt_at} />
        </div>
      )}
    </>
  );
}
