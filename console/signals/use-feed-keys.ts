import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Signal } from '../../src/client/types.ts';
import { useKeys } from '../ui/use-keys.ts';
import { useSignalActions } from './signal-actions.tsx';

/** j, k and the arrow keys move through the rows, and letters act on them. Escape closes the open signal. */
export function useFeedKeys(openId: string | undefined, signals: Signal[], changeDensity: () => void) {
  const list = useRef<HTMLUListElement>(null);
  const navigate = useNavigate();
  const search = useSearch({ from: '/signals' });
  const { selected, select, set, dismiss, assign, undo, clear } = useSignalActions();

  const lastOpen = useRef(openId);
  useEffect(() => {
    const id = openId ?? lastOpen.current;
    const row = id && list.current?.querySelector<HTMLElement>(`[data-signal="${CSS.escape(id)}"]`);
    if (row && openId !== lastOpen.current) {
      // Opening or closing the panel changes the height of every row.
      row.closest('li')?.scrollIntoView({ block: 'nearest' });
      if (openId === undefined) row.focus({ preventScroll: true });
    }
    lastOpen.current = openId;
  }, [openId]);

  useKeys((key, { target }) => {
    const inList = target === document.body || list.current?.contains(target as Node) === true;
    const step = stepOf(key, inList);
    if (step !== 0) return moveFocus(list.current, step, openId);
    const id = focusedRow()?.dataset.signal ?? openId;
    const current = signals.filter((signal) => signal.id === id);
    const chosen = selected.size > 0 ? [...selected.values()] : current;
    const actions: Record<string, () => void> = {
      x: () => current.forEach((signal) => void select([signal], !selected.has(signal.id))),
      s: () => set(chosen, 'in_progress'),
      h: () => set(chosen, 'handled'),
      d: () => dismiss(chosen),
      a: () => assign(chosen),
      u: undo,
      v: changeDensity,
      '/': () => document.querySelector<HTMLElement>('input[type="search"]')?.focus(),
      Escape: () =>
        openId === undefined ? clear() : void navigate({ to: '/signals', search, resetScroll: false }),
    };
    actions[key]?.();
    return key in actions;
  });

  return list;
}

/** Outside the list, the arrow keys scroll the page. */
function stepOf(key: string, inList: boolean): -1 | 0 | 1 {
  if (key === 'j' || (key === 'ArrowDown' && inList)) return 1;
  if (key === 'k' || (key === 'ArrowUp' && inList)) return -1;
  return 0;
}

/** The link of the row that has the focus, also if it is on its checkbox. */
function focusedRow(): HTMLElement | null | undefined {
  return document.activeElement?.closest('li')?.querySelector<HTMLElement>('[data-signal]');
}

function moveFocus(list: HTMLElement | null, step: -1 | 1, openId: string | undefined): boolean {
  const rows = [...(list?.querySelectorAll<HTMLElement>('[data-signal]') ?? [])];
  const focused = rows.indexOf(focusedRow() as HTMLElement);
  const from = focused >= 0 ? focused : rows.findIndex((row) => row.dataset.signal === openId);
  const next = from < 0 ? rows[0] : rows[Math.min(Math.max(from + step, 0), rows.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
  return next !== undefined;
}
