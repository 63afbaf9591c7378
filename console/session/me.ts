import { useLocalStorage } from '@mantine/hooks';

export type Me = { name: string; email: string };

const key = 'partner-signals.me';

/** Who works in this browser. A key names a team or a program, so the console asks and remembers. */
export function useMe() {
  return useLocalStorage<Me | null>({ key, defaultValue: null, getInitialValueInEffect: false });
}

/** The name for the history of changes. */
export function actorName(): string | undefined {
  const kept = localStorage.getItem(key);
  return (kept && (JSON.parse(kept) as Me | null)?.name) || undefined;
}
