import { Button, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { ClientError } from '../../src/client/client-error.ts';
import type { RotateWebhookSecret } from '../../src/client/types.ts';
import { useSession } from '../session/session.tsx';
import { fieldError, Refused, Saved } from '../ui/outcome.tsx';

export const secretDescription = 'Your own has 8 to 256 printable ASCII characters, without spaces.';

const overlaps = [
  { value: '86400', label: 'For a day' },
  { value: '3600', label: 'For an hour' },
  { value: '604800', label: 'For a week' },
  { value: '0', label: 'Not at all: it has leaked' },
];

const tooMany =
  'Too many earlier secrets still hold. Wait until one of them ends, or let the present one hold no longer, which ends them all.';

/** Replaces the secret of a webhook. */
export function SecretRotation({ webhookId }: { webhookId: string }) {
  const { client } = useSession();
  const rotate = useMutation({
    mutationFn: (rotation: RotateWebhookSecret) => client.webhooks.rotateSecret(webhookId, rotation),
    // It holds a secret.
    gcTime: 0,
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const secret = String(form.get('secret'));
    rotate.mutate({
      overlap_seconds: Number(form.get('overlap_seconds')),
      ...(secret !== '' && { secret }),
    });
  }

  return (
    <section className="card section" aria-labelledby="secret-title">
      <h2 id="secret-title">Secret</h2>
      <form className="form" onSubmit={submit} noValidate>
        <PasswordInput
          name="secret"
          label="New secret"
          description={`Leave it empty to have one made. ${secretDescription}`}
          autoComplete="off"
          spellCheck={false}
          visibilityToggleFocusable
          visibilityToggleButtonProps={{ 'aria-label': 'Show the secret' }}
          error={fieldError(rotate.error, 'secret')}
        />
        <NativeSelect
          name="overlap_seconds"
          label="The present one still holds"
          description="So long deliveries carry the signatures of both."
          data={overlaps}
          error={fieldError(rotate.error, 'overlap_seconds')}
        />
        <Refused error={rotate.error} fields={['secret', 'overlap_seconds']}>
          {rotate.error instanceof ClientError && rotate.error.code === 'invalid_transition' && tooMany}
        </Refused>
        <div className="buttons">
          <Button type="submit" variant="default" loading={rotate.isPending}>
            Rotate the secret
          </Button>
        </div>
      </form>
      {rotate.data && <Saved of={rotate.data}>The secret was rotated.</Saved>}
      {rotate.data?.data.secret && <NewSecret secret={rotate.data.data.secret} />}
    </section>
  );
}

/** A secret that the service made: here, now, and never again. */
export function NewSecret({ secret }: { secret: string }) {
  const { copy, copied, error } = useClipboard({ timeout: 4_000 });
  return (
    <div className="new-secret">
      <TextInput
        label="The new secret"
        description="Copy it now: it will not be shown again."
        readOnly
        value={secret}
        onFocus={(event) => event.currentTarget.select()}
        error={error && 'The browser does not let it be copied; select it instead.'}
      />
      <Button onClick={() => copy(secret)}>{copied ? 'Copied' : 'Copy'}</Button>
    </div>
  );
}
