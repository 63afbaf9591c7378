import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useRef } from 'react';

/** Returns whether it used the key. */
type KeyHandler = (key: string, event: KeyboardEvent) => boolean;

/** Single-key shortcuts can be turned off, because speech input and accidental key presses trigger them. */
export function useShortcuts() {
  return useLocalStorage({
    key: 'partner-signals.shortcuts',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
}

/** Handles keys that are pressed outside of fields and dialogs. */
export function useKeys(handler: KeyHandler): void {
  const [enabled] = useShortcuts();
  const current = useRef(handler);
  current.current = handler;
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      const target = event.target as HTMLElement;
      if (target.closest(taken)) return;
      if (!enabled && event.key.length === 1 && event.key !== '?') return;
      if (current.current(event.key, event)) event.preventDefault();
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [enabled]);
}

/** Elements that use letters and Escape themselves. */
const taken = 'input:not([type="checkbox"]), textarea, select, [role="listbox"], dialog';
