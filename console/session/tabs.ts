/** Messages between tabs. They contain no secret, because every page of this origin can listen. */
type Message = { signedIn: true } | { signedOut: string | null };

export function joinTabs(onMessage: (message: Message) => void) {
  const channel = new BroadcastChannel('partner-signals.session');
  channel.onmessage = ({ data }: MessageEvent<Message>) => onMessage(data);
  return { tell: (message: Message) => channel.postMessage(message), leave: () => channel.close() };
}
