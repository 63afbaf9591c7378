import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { NewWebhook, RegisterWebhook } from '../../src/client/types.ts';
import { eventKindTable, type WebhookEvent, webhookEvents } from '../../src/vocabulary.ts';
import { NeedsWrite, useMay, useSession } from '../session/session.tsx';
import { ArrivalHeading } from '../ui/arrival-heading.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Form, textOf } from '../ui/form.tsx';
import { capitalize } from '../ui/format/words.ts';
import { fieldError, Refused } from '../ui/outcome.tsx';
import { NewSecret, SecretInput } from './secret.tsx';

export function NewWebhookPage() {
  const { client } = useSession();
  const mayWrite = useMay('write');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const register = useMutation({
    mutationFn: (webhook: RegisterWebhook) => client.webhooks.register(webhook),
    // Do not keep the secret in memory.
    gcTime: 0,
    onSuccess: ({ data: { id, secret } }) => {
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
      if (!secret) void navigate({ to: '/webhooks/$webhookId', params: { webhookId: id } });
    },
  });

  function send(form: FormData) {
    const secret = String(form.get('secret'));
    register.mutate({
      url: textOf(form, 'url'),
      events: form.getAll('events') as WebhookEvent[],
      ...(secret !== '' && { secret }),
    });
  }

  return (
    <div className="new-webhook">
      <title>Add webhook · Partner Signals</title>
      <Breadcrumbs page="Add webhook">
        <Link to="/webhooks">Webhooks</Link>
      </Breadcrumbs>
      {register.data?.data.secret ? (
        <Added webhook={register.data.data} secret={register.data.data.secret} />
      ) : (
        <>
          <ArrivalHeading level={1}>Add webhook</ArrivalHeading>
          <NeedsWrite to="add webhooks" />
          <Form className="card section form below" onSend={send} noValidate>
            <TextInput
              name="url"
              label="URL"
              description="HTTPS URL of your receiver; must be reachable from the internet."
              placeholder="https://example.com/webhooks"
              inputMode="url"
              autoComplete="off"
              error={fieldError(register.error, 'url')}
            />
            <Checkbox.Group
              label="Send a request when"
              defaultValue={webhookEvents}
              error={fieldError(register.error, 'events', 'Choose at least one event.')}
            >
              <div className="options">
                {webhookEvents.map((event) => (
                  <Checkbox
                    key={event}
                    name="events"
                    value={event}
                    label={capitalize(eventKindTable[event].words)}
                    description={<code>{event}</code>}
                  />
                ))}
              </div>
            </Checkbox.Group>
            <SecretInput label="Secret" error={register.error} />
            <Refused error={register.error} fields={['url', 'events', 'secret']} />
            <div className="buttons">
              <Button type="submit" disabled={!mayWrite} loading={register.isPending}>
                Add webhook
              </Button>
            </div>
          </Form>
        </>
      )}
    </div>
  );
}

function Added({ webhook, secret }: { webhook: NewWebhook; secret: string }) {
  return (
    <>
      <ArrivalHeading level={1}>Webhook added</ArrivalHeading>
      <p className="soft address">{webhook.url}</p>
      <div className="card section below">
        <NewSecret secret={secret} />
        <p>
          After you save the secret in your receiver,{' '}
          <Link to="/webhooks/$webhookId" params={{ webhookId: webhook.id }}>
            open the webhook
          </Link>{' '}
          and send a test.
        </p>
      </div>
    </>
  );
}
