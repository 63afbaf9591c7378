import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { createLink, Link } from '@tanstack/react-router';
import type { Webhook } from '../../src/client/types.ts';
import { webhookList } from '../session/queries.ts';
import { useSession } from '../session/session.tsx';
import { Loading, LoadMore, Problem, StateMark } from '../ui/parts.tsx';
import { Ago } from '../ui/time.tsx';
import { capitalize, eventWords } from '../ui/words.ts';

const ButtonLink = createLink(Button<'a'>);

export function WebhooksPage() {
  const { client } = useSession();
  const query = useInfiniteQuery(webhookList(client));
  const webhooks = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <div className="webhooks">
      <title>Webhooks · Partner Signals</title>
      <div className="page-head">
        <h1>Webhooks</h1>
        <ButtonLink component="a" to="/webhooks/new">
          Register a webhook
        </ButtonLink>
      </div>
      <div className="card">
        {query.isPending && <Loading rows={4} />}
        {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
        {query.isSuccess && webhooks.length === 0 && (
          <div className="message" role="status">
            <p className="strong">There are no webhooks yet.</p>
            <p className="soft">
              Register the address of a receiver of yours to be told when a signal fires or a partner is
              credited.
            </p>
          </div>
        )}
        {webhooks.length > 0 && (
          <table className="table stacking hooks">
            <thead>
              <tr>
                <th scope="col">Address</th>
                <th scope="col">Sent when</th>
                <th scope="col">Status</th>
              </tr>
            </thead>
            <tbody>
              {webhooks.map((webhook) => (
                <Row key={webhook.id} webhook={webhook} />
              ))}
            </tbody>
          </table>
        )}
      </div>
      <LoadMore pages={query} what="webhooks" />
    </div>
  );
}

function Row({ webhook: { id, url, events, status, disabled_reason, created_at } }: { webhook: Webhook }) {
  return (
    <tr>
      <td>
        <Link to="/webhooks/$webhookId" params={{ webhookId: id }} className="strong address">
          {url}
        </Link>
        <div className="soft small">
          Registered <Ago at={created_at} />
        </div>
      </td>
      <td className="soft">{capitalize(events.map((event) => eventWords[event]).join(', '))}</td>
      <td>
        <StateMark state={status} />
        {disabled_reason && <div className="soft small">{disabled_reason}</div>}
      </td>
    </tr>
  );
}
