import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { type Client, createClient } from '../../src/client/client.ts';
import type { OwnKey } from '../../src/client/types.ts';
import type { Scope } from '../../src/vocabulary.ts';
import { Loading, Problem } from '../ui/feedback.tsx';
import { currentKey, grants } from './current-key.ts';
import { createQueries } from './queries.ts';
import { SignIn } from './sign-in.tsx';

type Connection = { client: Client; signOut(): void };
type Session = Connection & { apiKey: OwnKey };

const SessionContext = createContext<Session | null>(null);
const storageKey = 'partner-signals.key';

/**
 * Asks for a key before it shows anything. The key stays in this tab and never appears in a URL. The URL does not
 * change, so the requested page opens after you sign in.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const [key, setKey] = useState(() => sessionStorage.getItem(storageKey));
  const [notice, setNotice] = useState<string>();

  const connection = useMemo(() => {
    if (key === null) return null;
    const signOut = (reason?: string) => {
      sessionStorage.removeItem(storageKey);
      setKey(null);
      setNotice(reason);
    };
    return {
      // Somebody is waiting, so show an error after a few seconds instead of retrying for a minute.
      client: createClient({ baseUrl: '', key, maxRetries: 2, maxWaitMs: 2_000 }),
      queries: createQueries(() => signOut('Your key is no longer valid. Sign in with another one.')),
      signOut: () => signOut(),
    };
  }, [key]);

  function signIn(key: string) {
    sessionStorage.setItem(storageKey, key);
    setNotice(undefined);
    setKey(key);
  }

  if (!connection) return <SignIn notice={notice} onSignIn={signIn} />;
  return (
    <QueryClientProvider client={connection.queries}>
      <KeyGate connection={connection}>{children}</KeyGate>
    </QueryClientProvider>
  );
}

/** Finds out what the key can do first, so that no page offers an action that would be refused. */
function KeyGate({
  connection: { client, signOut },
  children,
}: {
  connection: Connection;
  children: ReactNode;
}) {
  const { data: apiKey, error, refetch } = useQuery(currentKey(client));
  const session = useMemo(() => apiKey && { client, signOut, apiKey }, [client, signOut, apiKey]);
  if (session) return <SessionContext value={session}>{children}</SessionContext>;
  return (
    <main className="sign-in">
      <title>Partner Signals</title>
      <div className="card sign-in-card">
        {error ? <Problem error={error} retry={() => void refetch()} /> : <Loading />}
      </div>
    </main>
  );
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('used outside of a session');
  return session;
}

/** Whether the key grants a scope. */
export function useMay(scope: Scope): boolean {
  return grants(useSession().apiKey, scope);
}

/** Next to disabled actions: says that the key is the reason. */
export function NeedsWrite({ to }: { to: string }) {
  if (useMay('write')) return null;
  return (
    <p className="soft small">Your key is read-only. To {to}, sign in with a key that has write access.</p>
  );
}
