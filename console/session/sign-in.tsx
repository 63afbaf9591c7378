import { Alert, Button, PasswordInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ClientError } from '../../src/client/client-error.ts';
import { Form, textOf } from '../ui/form.tsx';
import { Logo } from '../ui/logo.tsx';
import { startSession } from './browser-session.ts';

export function SignIn({ notice, onSignIn }: { notice: string | null; onSignIn(): void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function send(form: FormData) {
    setBusy(true);
    const problem = await problemWith(textOf(form, 'key'));
    setBusy(false);
    setError(problem);
    if (!problem) onSignIn();
  }

  return (
    <main className="sign-in">
      <title>Sign in · Partner Signals</title>
      <Form className="card sign-in-card" onSend={send}>
        <Logo />
        <h1>Sign in to Partner Signals</h1>
        <p className="soft">See which partner can help on which deal, and why.</p>
        {notice && !error && <Alert>{notice}</Alert>}
        <PasswordInput
          ref={input}
          name="key"
          label="API key"
          description="Signs in all tabs of this browser, until you sign out or close it."
          placeholder="psk_…"
          error={error}
          autoComplete="off"
          spellCheck={false}
          visibilityToggleFocusable
          visibilityToggleButtonProps={{ 'aria-label': 'Show key' }}
        />
        <Button type="submit" loading={busy} fullWidth>
          Sign in
        </Button>
        <p className="soft small">
          Trying the demo? Copy the key from <code>demo.key</code> in the data folder (<code>data/</code> by
          default).
        </p>
      </Form>
    </main>
  );
}

async function problemWith(key: string): Promise<string | undefined> {
  if (key === '') return 'Enter an API key.';
  // Anything else is not a key, and no header can carry it.
  if (!/^[\x21-\x7e]+$/.test(key)) return wrongKey;
  try {
    await startSession(key);
    return undefined;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    if (error.code === 'unauthorized')
      return error.message.startsWith('This is an operator key') ? operatorKey : wrongKey;
    return error.code === 'forbidden' ? unreadable : error.message;
  }
}

const wrongKey = 'This key is not valid. Check that you copied all of it and that it has not been revoked.';
const operatorKey = 'This is an operator key. Sign in with an API key of your organization.';
const unreadable = 'This key can only send data. Sign in with a key that has read access.';
