import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import type { Webhook } from '../../src/client/types.ts';
import { showDelivery, showWebhook } from '../session/queries.ts';
import { useSession } from '../session/session.tsx';
import { Refused, Saved } from '../ui/outcome.tsx';
import { rereadDisabled, WebhookRefused } from './webhook-refused.tsx';

/** What can be done with a webhook as a whole. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const enabled = webhook.status === 'enabled';
  const act = useMutation({
    mutationFn: async (action: 'test' | Webhook['status']) => {
      if (action === 'test') showDelivery(queries, (await client.webhooks.test(webhook.id)).data);
      else showWebhook(queries, (await client.webhooks.change(webhook.id, { status: action })).data);
      return { said: outcomes[action] };
    },
    onError: rereadDisabled(queries, webhook.id),
  });

  return (
    <div className="actions">
      {act.data && <Saved of={act.data}>{act.data.said}</Saved>}
      <WebhookRefused error={act.error} />
      <div className="buttons">
        {enabled && (
          <Button disabled={act.isPending} onClick={() => act.mutate('test')}>
            Send a test
          </Button>
        )}
        <Button
          {...(enabled && { variant: 'default' })}
          disabled={act.isPending}
          onClick={() => act.mutate(enabled ? 'disabled' : 'enabled')}
        >
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <Deletion webhook={webhook} />
      </div>
    </div>
  );
}

const outcomes = {
  test: 'A test is on its way: it is at the top of the deliveries.',
  enabled: 'Enabled. It gets all events from now on; what it missed can be redelivered below.',
  disabled: 'Disabled. Nothing more is sent to it until it is enabled again.',
};

function Deletion({ webhook }: { webhook: Webhook }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const dialog = useRef<HTMLDialogElement>(null);
  const remove = useMutation({
    mutationFn: () => client.webhooks.delete(webhook.id),
    onSuccess: async () => {
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
      await navigate({ to: '/webhooks' });
      queries.removeQueries({ queryKey: ['webhook', webhook.id] });
    },
  });
  return (
    <>
      <Button variant="subtle" className="danger" onClick={() => dialog.current?.showModal()}>
        Delete …
      </Button>
      <dialog className="card dialog" ref={dialog} aria-labelledby="deletion-title">
        <h2 id="deletion-title">Delete this webhook?</h2>
        <p>Nothing more is sent to it, and the log of its deliveries is gone. This cannot be undone.</p>
        <Refused error={remove.error} />
        <div className="buttons">
          <Button variant="default" onClick={() => dialog.current?.close()}>
            Keep it
          </Button>
          <Button
            variant="light"
            className="danger"
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            Delete for good
          </Button>
        </div>
      </dialog>
    </>
  );
}
