import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { type Client, createClient } from '../../src/client/client.ts';
import { ClientError } from '../../src/client/client-error.ts';
import { SignIn } from './sign-in.tsx';

type Session = { client: Client; signOut(): void };

const SessionContext = createContext<Session | null>(null);
const storageKey = 'partner-signals.key';

/**
 * Lets nobody past without a key. The key is kept for this tab alone and never goes into an address; the page that was
 * asked for opens after signing in, since the address is left as it is.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const [key, setKey] = useState(() => sessionStorage.getItem(storageKey));
  const [notice, setNotice] = useState<string>();

  const session = useMemo(() => {
    if (key === null) return null;
    const signOut = (reason?: string) => {
      sessionStorage.removeItem(storageKey);
      setKey(null);
      setNotice(reason);
    };
    return {
      // A person waits: what does not pass within moments is told, not waited for.
      client: createClient({ baseUrl: '', key, maxRetries: 2, maxWaitMs: 2_000 }),
      queries: createQueries(() => signOut('The key is no longer valid. Sign in with another one.')),
      signOut: () => signOut(),
    };
  }, [key]);

  function signIn(key: string) {
    sessionStorage.setItem(storageKey, key);
    setNotice(undefined);
    setKey(key);
  }

  if (!session) return <SignIn notice={notice} onSignIn={signIn} />;
  return (
    <SessionContext value={session}>
      <QueryClientProvider client={session.queries}>{children}</QueryClientProvider>
    </SessionContext>
  );
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('used outside of a session');
  return session;
}

/** Sparing with requests: every one counts against the organization's limit, which its integrations need as well. */
function createQueries(onRefusedKey: () => void): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ClientError && error.code === 'unauthorized') onRefusedKey();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // A request without a network fails and says so, where it would otherwise wait in silence.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: false,
      },
    },
  });
}
