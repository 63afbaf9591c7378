import { Button, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { RotateWebhookSecret } from '../../src/client/types.ts';
import { useMay, useSession } from '../session/session.tsx';
import { Form } from '../ui/form.tsx';
import { fieldError, hasCode, Refused, Saved } from '../ui/outcome.tsx';
import { Section } from '../ui/section.tsx';

const overlaps = [
  { value: '86400', label: '1 day' },
  { value: '3600', label: '1 hour' },
  { value: '604800', label: '1 week' },
  { value: '0', label: 'Revoke it now (for example, if it leaked)' },
];

const tooMany =
  'Too many earlier secrets are still valid. Wait until one expires, or revoke the current secret now to revoke them all.';

export function SecretRotation({ webhookId }: { webhookId: string }) {
  const { client } = useSession();
  const mayWrite = useMay('write');
  const rotate = useMutation({
    mutationFn: (rotation: RotateWebhookSecret) => client.webhooks.rotateSecret(webhookId, rotation),
    // Do not keep the secret in memory.
    gcTime: 0,
  });

  function send(form: FormData) {
    const secret = String(form.get('secret'));
    rotate.mutate({
      overlap_seconds: Number(form.get('overlap_seconds')),
      ...(secret !== '' && { secret }),
    });
  }

  return (
    <Section id="secret" title="Secret">
      <Form className="form" onSend={send} noValidate>
        <SecretInput label="New secret" error={rotate.error} />
        <NativeSelect
          name="overlap_seconds"
          label="Keep the current secret valid for"
          description="Until then, deliveries carry both signatures."
          data={overlaps}
          error={fieldError(rotate.error, 'overlap_seconds')}
        />
        <Refused error={rotate.error} fields={['secret', 'overlap_seconds']}>
          {hasCode(rotate.error, 'limit_reached') && tooMany}
        </Refused>
        <div className="buttons">
          <Button type="submit" variant="default" disabled={!mayWrite} loading={rotate.isPending}>
            Rotate secret
          </Button>
        </div>
      </Form>
      {rotate.data && <Saved of={rotate.data}>Secret rotated.</Saved>}
      {rotate.data?.data.secret && <NewSecret secret={rotate.data.data.secret} />}
    </Section>
  );
}

export function SecretInput({ label, error }: { label: string; error: Error | null }) {
  return (
    <PasswordInput
      name="secret"
      label={label}
      description="Leave blank to generate one. Your own needs 8 to 256 printable ASCII characters without spaces."
      autoComplete="off"
      spellCheck={false}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': 'Show secret' }}
      // Every error of this field has this cause.
      error={fieldError(error, 'secret', 'Enter 8 to 256 printable ASCII characters without spaces.')}
    />
  );
}

/** A generated secret, shown only once. */
export function NewSecret({ secret }: { secret: string }) {
  const { copy, copied, error } = useClipboard({ timeout: 4_000 });
  return (
    <div className="new-secret">
      <TextInput
        label="Generated secret"
        description="Copy it now. You cannot see it again."
        readOnly
        value={secret}
        onFocus={(event) => event.currentTarget.select()}
        error={error && 'Your browser blocked copying. Select the secret and copy it yourself.'}
      />
      <Button onClick={() => copy(secret)}>{copied ? 'Copied' : 'Copy'}</Button>
    </div>
  );
}
