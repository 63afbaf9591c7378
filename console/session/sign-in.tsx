import { Alert, Button, PasswordInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { createClient } from '../../src/client/client.ts';
import { ClientError } from '../../src/client/client-error.ts';
import { Mark } from '../ui/parts.tsx';

export function SignIn({ notice, onSignIn }: { notice: string | undefined; onSignIn(key: string): void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get('key')).trim();
    setBusy(true);
    const problem = await problemWith(key);
    setBusy(false);
    setError(problem);
    if (!problem) onSignIn(key);
  }

  return (
    <main className="sign-in">
      <title>Sign in · Partner Signals</title>
      <form className="card sign-in-card" onSubmit={submit}>
        <Mark />
        <h1>Sign in to Partner Signals</h1>
        <p className="soft">Which partner can help on which deal, and why.</p>
        {notice && !error && <Alert>{notice}</Alert>}
        <PasswordInput
          ref={input}
          name="key"
          label="API key"
          description="Kept in this tab only, until you close it."
          placeholder="psk_…"
          error={error}
          autoComplete="off"
          spellCheck={false}
          visibilityToggleFocusable
          visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
        />
        <Button type="submit" loading={busy} fullWidth>
          Sign in
        </Button>
        <p className="soft small">
          Trying the demo? Its key is in the file <code>demo.key</code> of the data folder, <code>data/</code>{' '}
          unless set otherwise.
        </p>
      </form>
    </main>
  );
}

/** What is wrong with a key, in words for the person who pasted it. */
async function problemWith(key: string): Promise<string | undefined> {
  if (key === '') return 'Paste an API key.';
  // Anything else cannot be a key, nor be sent as one.
  if (!/^[\x21-\x7e]+$/.test(key)) return wrongKey;
  try {
    await createClient({ baseUrl: '', key, maxRetries: 0 }).signals.summary();
    return undefined;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return error.code === 'unauthorized' ? wrongKey : error.message;
  }
}

const wrongKey = 'This key is not valid. Check that all of it was copied, and that it was not revoked.';
