import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import type { NewWebhook } from '../../src/client/types.ts';
import type { RegisterWebhook, WebhookEvent } from '../../src/contract/webhook.ts';
import { useSession } from '../session/session.tsx';
import { fieldError, Refused } from '../ui/outcome.tsx';
import { ArrivalHeading } from '../ui/parts.tsx';
import { capitalize, eventWords, keysOf } from '../ui/words.ts';
import { NewSecret, secretDescription } from './secret.tsx';

export function NewWebhookPage() {
  const { client } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const register = useMutation({
    mutationFn: (webhook: RegisterWebhook) => client.webhooks.register(webhook),
    // It holds a secret.
    gcTime: 0,
    onSuccess: ({ data: { id, secret } }) => {
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
      if (!secret) void navigate({ to: '/webhooks/$webhookId', params: { webhookId: id } });
    },
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const secret = String(form.get('secret'));
    register.mutate({
      url: String(form.get('url')).trim(),
      events: form.getAll('events') as WebhookEvent[],
      ...(secret !== '' && { secret }),
    });
  }

  return (
    <div className="new-webhook">
      <title>Register a webhook · Partner Signals</title>
      <p className="back">
        <Link to="/webhooks">Webhooks</Link> <span aria-hidden="true">/</span>
      </p>
      {register.data?.data.secret ? (
        <Registered webhook={register.data.data} secret={register.data.data.secret} />
      ) : (
        <>
          <ArrivalHeading level={1}>Register a webhook</ArrivalHeading>
          <form className="card section form" onSubmit={submit} noValidate>
            <TextInput
              name="url"
              label="Address"
              description="Of your receiver: https, and to be reached from the internet."
              placeholder="https://"
              inputMode="url"
              autoComplete="off"
              error={fieldError(register.error, 'url')}
            />
            <Checkbox.Group
              label="Send when"
              defaultValue={keysOf(eventWords)}
              error={fieldError(register.error, 'events')}
            >
              <div className="options">
                {keysOf(eventWords).map((event) => (
                  <Checkbox
                    key={event}
                    name="events"
                    value={event}
                    label={capitalize(eventWords[event])}
                    description={<code>{event}</code>}
                  />
                ))}
              </div>
            </Checkbox.Group>
            <PasswordInput
              name="secret"
              label="Secret"
              description={`Leave it empty to have one made. ${secretDescription}`}
              autoComplete="off"
              spellCheck={false}
              visibilityToggleFocusable
              visibilityToggleButtonProps={{ 'aria-label': 'Show the secret' }}
              error={fieldError(register.error, 'secret')}
            />
            <Refused error={register.error} fields={['url', 'events', 'secret']} />
            <div className="buttons">
              <Button type="submit" loading={register.isPending}>
                Register
              </Button>
            </div>
          </form>
        </>
      )}
    </div>
  );
}

function Registered({ webhook, secret }: { webhook: NewWebhook; secret: string }) {
  return (
    <>
      <ArrivalHeading level={1}>The webhook is registered</ArrivalHeading>
      <p className="soft address">{webhook.url}</p>
      <div className="card section">
        <NewSecret secret={secret} />
        <p>
          When your receiver knows it,{' '}
          <Link to="/webhooks/$webhookId" params={{ webhookId: webhook.id }}>
            go to the webhook
          </Link>{' '}
          and send a test.
        </p>
      </div>
    </>
  );
}
