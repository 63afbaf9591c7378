import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../../src/client/types.ts';
import { NeedsWrite, useMay, useSession } from '../session/session.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Refused, Saved } from '../ui/outcome.tsx';
import { showDelivery, showWebhook } from './queries.ts';
import { reloadDisabled, WebhookRefused } from './webhook-refused.tsx';

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const mayWrite = useMay('write');
  const enabled = webhook.status === 'enabled';
  const act = useMutation({
    mutationFn: async (action: 'test' | Webhook['status']) => {
      if (action === 'test') showDelivery(queries, (await client.webhooks.test(webhook.id)).data);
      else showWebhook(queries, (await client.webhooks.change(webhook.id, { status: action })).data);
      return { message: outcomes[action] };
    },
    onError: reloadDisabled(queries, webhook.id),
  });

  return (
    <div className="actions">
      {act.data && <Saved of={act.data}>{act.data.message}</Saved>}
      <WebhookRefused error={act.error} />
      <div className="buttons">
        {enabled && (
          <Button disabled={!mayWrite || act.isPending} onClick={() => act.mutate('test')}>
            Send test
          </Button>
        )}
        <Button
          {...(enabled && { variant: 'default' })}
          disabled={!mayWrite || act.isPending}
          onClick={() => act.mutate(enabled ? 'disabled' : 'enabled')}
        >
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <Deletion webhook={webhook} />
      </div>
      <NeedsWrite to="test or change webhooks" />
    </div>
  );
}

const outcomes = {
  test: 'Test queued. See the result under Deliveries.',
  enabled: 'Enabled. You can redeliver the events it missed below.',
  disabled: 'Disabled. It receives nothing until you enable it again.',
};

function Deletion({ webhook }: { webhook: Webhook }) {
  const { client } = useSession();
  const mayWrite = useMay('write');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
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
      <Button variant="subtle" className="danger" disabled={!mayWrite} onClick={() => setAsked(true)}>
        Delete…
      </Button>
      {asked && (
        <Dialog title="Delete this webhook?" onClose={() => setAsked(false)}>
          <p>This stops all deliveries and deletes the delivery log. You cannot undo this.</p>
          <Refused error={remove.error} />
          <div className="buttons">
            <Button variant="default" onClick={() => setAsked(false)}>
              Cancel
            </Button>
            <Button
              variant="light"
              className="danger"
              loading={remove.isPending}
              onClick={() => remove.mutate()}
            >
              Delete webhook
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
