import { Button, Checkbox } from '@mantine/core';
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
      ['v', 'Comfortable or compact rows'],
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

type Props = { shown: boolean; onShow(shown: boolean): void };

/** Opens with `?`, too. */
export function KeySheet({ shown, onShow }: Props) {
  const [enabled, setEnabled] = useShortcuts();
  useKeys((key) => {
    if (key === '?') onShow(true);
    return key === '?';
  });
  if (!shown) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => onShow(false)}>
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
        A shortcut applies to the selected signals. Without a selection, it applies to the signal that has the
        focus.
      </p>
      <Checkbox
        label="Use single-key shortcuts"
        checked={enabled}
        onChange={(event) => setEnabled(event.currentTarget.checked)}
      />
      <div className="buttons">
        <Button onClick={() => onShow(false)}>Close</Button>
      </div>
    </Dialog>
  );
}
