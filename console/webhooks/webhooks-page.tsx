import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { createLink, Link } from '@tanstack/react-router';
import type { Webhook } from '../../src/client/types.ts';
import { eventKindTable } from '../../src/vocabulary.ts';
import { NeedsWrite, useMay, useSession } from '../session/session.tsx';
import { LoadMore } from '../ui/feedback.tsx';
import { Ago } from '../ui/format/time.tsx';
import { capitalize } from '../ui/format/words.ts';
import { ListTable, NoRows } from '../ui/listing.tsx';
import { StatusMark } from '../ui/tags.tsx';
import { webhookList } from './queries.ts';

const ButtonLink = createLink(Button<'a'>);

export function WebhooksPage() {
  const { client } = useSession();
  const mayWrite = useMay('write');
  const query = useInfiniteQuery(webhookList(client));
  return (
    <div className="webhooks">
      <title>Webhooks · Partner Signals</title>
      <div className="page-head">
        <h1>Webhooks</h1>
        {mayWrite && (
          <ButtonLink component="a" to="/webhooks/new">
            Add webhook
          </ButtonLink>
        )}
      </div>
      <NeedsWrite to="add or change webhooks" />
      <div className="card">
        <ListTable
          query={query}
          rows={4}
          empty={
            <NoRows none="There are no webhooks yet.">
              Add the URL of your receiver to get a request when a signal fires or a partner is credited.
            </NoRows>
          }
          className="table stacking"
          columns={['URL', 'Events', 'Status']}
          row={(webhook) => <Row key={webhook.id} webhook={webhook} />}
        />
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
          Added <Ago at={created_at} />
        </div>
      </td>
      <td className="soft" data-label="Events">
        {capitalize(events.map((event) => eventKindTable[event].words).join(', '))}
      </td>
      <td data-label="Status">
        <StatusMark status={status} />
        {disabled_reason && <div className="soft small">{capitalize(disabled_reason)}</div>}
      </td>
    </tr>
  );
}
