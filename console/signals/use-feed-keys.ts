import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** j, k and the arrow keys move through the rows. Escape closes the open signal and returns to its row. */
export function useFeedKeys(openId: string | undefined) {
  const list = useRef<HTMLUListElement>(null);
  const navigate = useNavigate();
  const search = useSearch({ from: '/signals' });

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

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      const target = event.target as HTMLElement;
      // Do not take keys from fields.
      if (target.closest('input, textarea, [role="listbox"]')) return;
      if (event.key === 'Escape' && openId !== undefined) {
        event.preventDefault();
        void navigate({ to: '/signals', search, resetScroll: false });
      }
      const step = stepOf(event.key, target === document.body || list.current?.contains(target) === true);
      if (step !== 0 && moveFocus(list.current, step, openId)) event.preventDefault();
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [navigate, openId, search]);

  return list;
}

/** Outside the list, the arrow keys scroll the page. */
function stepOf(key: string, inList: boolean): -1 | 0 | 1 {
  if (key === 'j' || (key === 'ArrowDown' && inList)) return 1;
  if (key === 'k' || (key === 'ArrowUp' && inList)) return -1;
  return 0;
}

function moveFocus(list: HTMLElement | null, step: -1 | 1, openId: string | undefined): boolean {
  const rows = [...(list?.querySelectorAll<HTMLElement>('[data-signal]') ?? [])];
  const focused = rows.indexOf(document.activeElement as HTMLElement);
  const from = focused >= 0 ? focused : rows.findIndex((row) => row.dataset.signal === openId);
  const next = from < 0 ? rows[0] : rows[Math.min(Math.max(from + step, 0), rows.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
  return next !== undefined;
}
