import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type Client, createClient } from '../../src/client/client.ts';
import type { OwnKey } from '../../src/client/types.ts';
import type { Scope } from '../../src/vocabulary.ts';
import { Loading, Problem } from '../ui/feedback.tsx';
import { currentKey, grants } from './current-key.ts';
import { actorHeader } from './me.ts';
import { createQueries } from './queries.ts';
import { SignIn } from './sign-in.tsx';
import { joinTabs, keep, keptKey } from './tabs.ts';

type Connection = { client: Client; signOut(): void };
type Session = Connection & { apiKey: OwnKey };

const SessionContext = createContext<Session | null>(null);

/**
 * Asks for a key before it shows anything. All tabs share the key, and it never appears in a URL. The URL does not
 * change, so the requested page opens after you sign in.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const [key, setKey] = useState(keptKey);
  const [notice, setNotice] = useState<string | null>(null);
  const [alone, setAlone] = useState(false);
  const tabs = useRef<ReturnType<typeof joinTabs>>(null);

  const enter = useCallback((key: string) => {
    keep(key);
    setNotice(null);
    setKey(key);
  }, []);
  const leave = useCallback((notice: string | null) => {
    keep(null);
    setAlone(true);
    setNotice(notice);
    setKey(null);
  }, []);
  useEffect(() => {
    const joined = joinTabs({ key: enter, signOut: leave, alone: () => setAlone(true) });
    tabs.current = joined;
    return joined.leave;
  }, [enter, leave]);

  const connection = useMemo(() => {
    if (key === null) return null;
    const signOut = (notice: string | null) => {
      tabs.current?.signedOut(notice);
      leave(notice);
    };
    return {
      client: createClient({
        baseUrl: '',
        key,
        // Somebody is waiting, so show an error after a few seconds instead of retrying for a minute.
        maxRetries: 2,
        maxWaitMs: 2_000,
        get actor() {
          return actorHeader();
        },
      }),
      queries: createQueries(() => signOut('Your key is no longer valid. Sign in with another one.')),
      signOut: () => signOut(null),
    };
  }, [key, leave]);

  function signIn(key: string) {
    enter(key);
    tabs.current?.signedIn(key);
  }

  if (!connection) return alone ? <SignIn notice={notice} onSignIn={signIn} /> : null;
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
