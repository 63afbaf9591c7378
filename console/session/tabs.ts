/*
 * One session for all tabs: the key stays in the memory of each tab (`sessionStorage`), never on disk or in a cookie, and
 * a new tab gets it from one that is open. A channel reaches pages of this origin only.
 */
type Message = { ask: true } | { key: string } | { signOut: string | null };

const storageKey = 'partner-signals.key';
/** How long a new tab waits for another one before it asks for a key. */
const answerMs = 250;

export function keptKey(): string | null {
  return sessionStorage.getItem(storageKey);
}

export function keep(key: string | null): void {
  if (key === null) sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, key);
}

/** Joins the other tabs. `onAlone` is called if none of them has a key to share. */
export function joinTabs(on: {
  key(key: string): void;
  signOut(notice: string | null): void;
  alone(): void;
}) {
  const channel = new BroadcastChannel('partner-signals.session');
  const send = (message: Message) => channel.postMessage(message);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    const own = keptKey();
    if ('ask' in data) {
      if (own !== null) send({ key: own });
    } else if ('signOut' in data) on.signOut(data.signOut);
    else if (own === null) on.key(data.key);
  };
  const timer = setTimeout(on.alone, answerMs);
  if (keptKey() === null) send({ ask: true });
  return {
    signedIn: (key: string) => send({ key }),
    signedOut: (notice: string | null) => send({ signOut: notice }),
    leave() {
      clearTimeout(timer);
      channel.close();
    },
  };
}
