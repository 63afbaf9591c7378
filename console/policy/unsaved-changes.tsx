import { Button } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { Dialog } from '../ui/dialog.tsx';
import { plural } from '../ui/format/numbers.ts';

/** Asks before you leave the page with changes that are not saved. */
export function UnsavedChanges({ changes }: { changes: string[] }) {
  const unsaved = changes.length > 0;
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => unsaved && current.pathname !== next.pathname,
    // The browser asks in its own words before it closes or reloads the page.
    enableBeforeUnload: unsaved,
    withResolver: true,
  });
  if (leaving.status !== 'blocked') return null;
  return (
    <Dialog title="Leave without saving?" onClose={leaving.reset}>
      <p>
        {plural(changes.length, 'change')} to the policy {changes.length === 1 ? 'is' : 'are'} not saved:
      </p>
      <ul className="plain small">
        {changes.map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
      <div className="buttons">
        <Button autoFocus onClick={leaving.reset}>
          Keep editing
        </Button>
        <Button variant="default" onClick={leaving.proceed}>
          Leave without saving
        </Button>
      </div>
    </Dialog>
  );
}
