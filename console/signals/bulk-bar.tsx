import { Button, CloseButton } from '@mantine/core';
import { AccountLink, PartnerLink } from '../ui/entity-links.tsx';
import { plural } from '../ui/format/numbers.ts';
import { Refused } from '../ui/outcome.tsx';
import { useSignalActions } from './signal-actions.tsx';

/** Actions for the selected signals, and the result of the last one. */
export function BulkBar() {
  const actions = useSignalActions();
  const { selected, busy, error, result } = actions;
  const signals = [...selected.values()];
  return (
    <div className="line bulk card" data-shown={signals.length > 0 || result !== undefined || error !== null}>
      <div role="status" className="bulk-result">
        {result && signals.length === 0 && (
          <>
            <p>
              {result.done}
              {result.refused.length > 0 &&
                ` ${plural(result.refused.length, 'change was', 'changes were')} refused:`}
            </p>
            {result.refused.length > 0 && (
              <ul>
                {result.refused.map(({ id, error }) => {
                  const signal = result.before.find((signal) => signal.id === id);
                  return (
                    <li key={id}>
                      {signal && (
                        <>
                          <AccountLink account={signal.account} /> with{' '}
                          <PartnerLink partner={signal.partner} />:{' '}
                        </>
                      )}
                      {error?.message}
                    </li>
                  );
                })}
              </ul>
            )}
          </>
        )}
      </div>
      <Refused error={error} />
      {signals.length > 0 && (
        <section className="buttons" aria-label="Selected signals">
          <p className="strong">{signals.length} selected</p>
          <Button disabled={busy} onClick={() => actions.set(signals, 'in_progress')}>
            Start
          </Button>
          <Button variant="default" disabled={busy} onClick={() => actions.set(signals, 'handled')}>
            Mark handled
          </Button>
          <Button variant="default" disabled={busy} onClick={() => actions.assign(signals)}>
            Assign
          </Button>
          <Button variant="default" disabled={busy} onClick={() => actions.dismiss(signals)}>
            Dismiss
          </Button>
        </section>
      )}
      {signals.length === 0 && result?.canUndo && (
        <Button variant="default" disabled={busy} onClick={actions.undo}>
          Undo
        </Button>
      )}
      <CloseButton
        aria-label={signals.length > 0 ? 'Clear selection' : 'Close message'}
        onClick={actions.clear}
      />
    </div>
  );
}
