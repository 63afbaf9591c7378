import { Button } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSession } from '../session/session.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { plural } from '../ui/format/numbers.ts';

/** Asks before you leave the page or sign out with changes that are not saved. */
export function UnsavedChanges({ changes }: { changes: string[] }) {
  const unsaved = changes.length > 0;
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => unsaved && current.pathname !== next.pathname,
    // The browser asks in its own words before it closes or reloads the page.
    enableBeforeUnload: unsaved,
    withResolver: true,
  });
  const { beforeSignOut } = useSession();
  const [signOut, askToSignOut] = useState<(() => void) | null>(null);
  useEffect(() => {
    beforeSignOut.current = unsaved ? (signOut) => askToSignOut(() => signOut) : null;
    return () => {
      beforeSignOut.current = null;
    };
  }, [beforeSignOut, unsaved]);
  if (signOut)
    return <Question what="Sign out" changes={changes} stay={() => askToSignOut(null)} proceed={signOut} />;
  if (leaving.status !== 'blocked') return null;
  return <Question what="Leave" changes={changes} stay={leaving.reset} proceed={leaving.proceed} />;
}

type QuestionProps = { what: string; changes: string[]; stay: () => void; proceed: () => void };

function Question({ what, changes, stay, proceed }: QuestionProps) {
  return (
    <Dialog title={`${what} without saving?`} onClose={stay}>
      <p>
        {plural(changes.length, 'change')} to the policy {changes.length === 1 ? 'is' : 'are'} not saved:
      </p>
      <ul className="plain small">
        {changes.map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
      <div className="buttons">
        <Button autoFocus onClick={stay}>
          Keep editing
        </Button>
        <Button variant="default" onClick={proceed}>
          {what} without saving
        </Button>
      </div>
    </Dialog>
  );
}
