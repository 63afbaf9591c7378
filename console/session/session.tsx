import { type QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  type RefObject,
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
import { endSession, hasSession } from './browser-session.ts';
import { currentKey, keyGrants } from './current-key.ts';
import { actorName } from './me.ts';
import { createQueries } from './queries.ts';
import { SignIn } from './sign-in.tsx';
import { joinTabs } from './tabs.ts';

type Connection = { client: Client; queries: QueryClient; signOut(): void };
type Session = Pick<Connection, 'client' | 'signOut'> & {
  apiKey: OwnKey;
  /** A page sets this to ask before you sign out. Calling `signOut` then signs out. */
  beforeSignOut: RefObject<((signOut: () => void) => void) | null>;
};
type State = { connection: Connection } | { notice: string | null } | { error: unknown } | 'asking';

const SessionContext = createContext<Session | null>(null);

/**
 * Asks for a key before it shows anything. All tabs share the session. The URL does not change, so the requested page
 * opens after you sign in.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const [state, setState] = useState<State>('asking');
  const tabs = useRef<ReturnType<typeof joinTabs>>(null);
  const current = useRef<Connection>(null);

  const leave = useCallback((notice: string | null) => {
    current.current = null;
    setState({ notice });
  }, []);
  /** Without data of the previous session, which may belong to another organization. */
  const enter = useCallback(() => {
    async function end(why: Promise<string | null>) {
      const notice = await why;
      // A late 401 must not end the session that came after.
      if (current.current !== connection) return;
      tabs.current?.tell({ signedOut: notice });
      leave(notice);
    }
    const connection: Connection = {
      client: createClient({
        baseUrl: '',
        key: null,
        // Somebody is waiting, so show an error after a few seconds instead of retrying for a minute.
        maxRetries: 2,
        maxWaitMs: 2_000,
        get actor() {
          return actorName();
        },
      }),
      queries: createQueries(() => void end(whyRefused())),
      signOut: () =>
        void end(
          endSession().then(
            () => null,
            () => stillSignedIn,
          ),
        ),
    };
    current.current = connection;
    setState({ connection });
  }, [leave]);
  const ask = useCallback(() => {
    setState('asking');
    hasSession().then(
      (has) => (has ? enter() : leave(null)),
      (error: unknown) => setState({ error }),
    );
  }, [enter, leave]);
  useEffect(() => {
    const joined = joinTabs((message) => ('signedIn' in message ? enter() : leave(message.signedOut)));
    tabs.current = joined;
    ask();
    return joined.leave;
  }, [ask, enter, leave]);

  function signedIn() {
    enter();
    tabs.current?.tell({ signedIn: true });
  }

  if (state === 'asking') return null;
  if ('error' in state)
    return (
      <Alone>
        <Problem error={state.error} retry={ask} />
      </Alone>
    );
  if ('notice' in state) return <SignIn notice={state.notice} onSignIn={signedIn} />;
  return (
    <QueryClientProvider client={state.connection.queries}>
      <KeyGate connection={state.connection}>{children}</KeyGate>
    </QueryClientProvider>
  );
}

async function whyRefused(): Promise<string> {
  const isOpen = await hasSession().catch(() => false);
  return isOpen
    ? 'Your key is no longer valid. Sign in with another one.'
    : 'Your session has ended. Sign in again.';
}

const stillSignedIn =
  'The service cannot be reached, so this browser is still signed in. Reload this page and sign out again, or close the browser.';

type KeyGateProps = { connection: Connection; children: ReactNode };

/** Finds out what the key can do first, so that no page offers an action that would be refused. */
function KeyGate({ connection: { client, signOut }, children }: KeyGateProps) {
  const { data: apiKey, error, refetch } = useQuery(currentKey(client));
  const beforeSignOut: Session['beforeSignOut'] = useRef(null);
  const session = useMemo(() => {
    const ask = () => (beforeSignOut.current ? beforeSignOut.current(signOut) : signOut());
    return apiKey && { client, signOut: ask, apiKey, beforeSignOut };
  }, [client, signOut, apiKey]);
  if (session) return <SessionContext value={session}>{children}</SessionContext>;
  return <Alone>{error ? <Problem error={error} retry={() => void refetch()} /> : <Loading />}</Alone>;
}

function Alone({ children }: { children: ReactNode }) {
  return (
    <main className="sign-in">
      <title>Partner Signals</title>
      <div className="card sign-in-card">{children}</div>
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
  return keyGrants(useSession().apiKey, scope);
}

/** Next to disabled actions: says that the key is the reason, which scope it lacks, and who can help. */
export function NeedsWrite({ to }: { to: string }) {
  if (useMay('write')) return null;
  return <Lacking scope="write">Your key is read-only. To {to},</Lacking>;
}

export function NeedsAdmin({ to }: { to: string }) {
  if (useMay('admin')) return null;
  return <Lacking scope="admin">To {to},</Lacking>;
}

export function NeedsIngest() {
  if (useMay('ingest')) return null;
  return <Lacking scope="ingest">To import data,</Lacking>;
}

function Lacking({ scope, children }: { scope: Scope; children: ReactNode }) {
  return (
    <p className="soft small">
      {children} you need a key with the scope <code>{scope}</code>. Whoever runs the service can create one.
    </p>
  );
}
