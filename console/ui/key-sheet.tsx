import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from './dialog.tsx';
import { useKeys, useShortcuts } from './use-keys.ts';

const sheet: [string, [string, string][]][] = [
  [
    'Signals',
    [
      ['j k', 'Next or previous signal'],
      ['Enter', 'Open the signal'],
      ['Esc', 'Close the signal'],
      ['x', 'Select or deselect'],
      ['s', 'Start'],
      ['h', 'Mark handled'],
      ['d', 'Dismiss'],
      ['a', 'Assign'],
      ['u', 'Undo the last change'],
      ['/', 'Search'],
    ],
  ],
  [
    'Review',
    [
      ['s', 'Same company'],
      ['d', 'Different companies'],
      ['k', 'Skip'],
      ['u', 'Undo the last decision'],
    ],
  ],
];

/** Opens with `?`, or with its button. */
export function KeySheet() {
  const [open, setOpen] = useState(false);
  const [enabled, setEnabled] = useShortcuts();
  useKeys((key) => {
    if (key === '?') setOpen(true);
    return key === '?';
  });
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        className="quiet keys-button"
        aria-label="Keyboard shortcuts"
        onClick={() => setOpen(true)}
      >
        <kbd>?</kbd>
      </Button>
      {open && (
        <Dialog title="Keyboard shortcuts" onClose={() => setOpen(false)}>
          <div className="key-sheet">
            {sheet.map(([page, keys]) => (
              <section key={page} aria-label={page}>
                <h3>{page}</h3>
                <dl>
                  {keys.map(([key, does]) => (
                    <div key={key}>
                      <dt>
                        {key.split(' ').map((name) => (
                          <kbd key={name}>{name}</kbd>
                        ))}
                      </dt>
                      <dd>{does}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </div>
          <p className="soft small">
            A shortcut applies to the selected signals. Without a selection, it applies to the signal that has
            the focus.
          </p>
          <Checkbox
            label="Use single-key shortcuts"
            checked={enabled}
            onChange={(event) => setEnabled(event.currentTarget.checked)}
          />
          <div className="buttons">
            <Button onClick={() => setOpen(false)}>Close</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
