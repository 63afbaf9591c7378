import { useLocalStorage } from '@mantine/hooks';

export type Me = { name: string; email: string };

const key = 'partner-signals.me';

/** Who works in this browser. A key names a team or a program, so the console asks and remembers. */
export function useMe() {
  return useLocalStorage<Me | null>({ key, defaultValue: null, getInitialValueInEffect: false });
}

/** The name for the history of changes, as a header value: UTF-8 bytes. */
export function actorHeader(): string | undefined {
  const kept = localStorage.getItem(key);
  const name = kept && (JSON.parse(kept) as Me | null)?.name;
  return name ? String.fromCharCode(...new TextEncoder().encode(name)) : undefined;
}
