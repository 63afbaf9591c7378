import { Button, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ClientError } from '../../src/client/client-error.ts';
import type { SignalDetail } from '../../src/client/types.ts';
import type { ChangeSignal } from '../../src/contract/signal.ts';
import { showChange } from '../session/queries.ts';
import { useSession } from '../session/session.tsx';
import { Refused, Saved } from '../ui/outcome.tsx';
import { stateChanges, stateWords } from '../ui/words.ts';

/** Every change rests on what is on the screen: where that is out of date, it is refused and read anew. */
export function SignalChange({ signal, etag }: { signal: SignalDetail; etag: string }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [note, setNote] = useState('');
  const change = useMutation({
    mutationFn: (body: ChangeSignal) => client.signals.change(signal.id, body, { ifMatch: etag }),
    onSuccess: (changed) => {
      setNote('');
      showChange(queries, changed);
    },
    onError: (error) => {
      if (isOutdated(error)) void queries.invalidateQueries({ queryKey: ['signal', signal.id] });
    },
  });
  const written = note.trim() === '' ? {} : { note };
  const changes = stateChanges[signal.state];

  return (
    <div className="change">
      <Textarea
        label="Note"
        description={changes.length > 0 ? 'Optional; goes into the history with the change.' : undefined}
        autosize={false}
        rows={2}
        maxLength={2000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      {change.data && (
        <Saved of={change.data}>
          {change.variables.state
            ? `Saved. It is now ${stateWords[change.data.data.state].toLowerCase()}.`
            : 'Note saved.'}
        </Saved>
      )}
      <Refused error={change.error}>{isOutdated(change.error) && outdated}</Refused>
      <div className="buttons">
        {changes.map(({ to, label }, index) => (
          <Button
            key={to}
            {...(index > 0 && { variant: 'default' })}
            disabled={change.isPending}
            onClick={() => change.mutate({ state: to, ...written })}
          >
            {label}
          </Button>
        ))}
        <Button
          variant="subtle"
          disabled={change.isPending || note.trim() === ''}
          onClick={() => change.mutate(written)}
        >
          Add note only
        </Button>
      </div>
    </div>
  );
}

function isOutdated(error: Error | null): boolean {
  return (
    error instanceof ClientError &&
    (error.code === 'precondition_failed' || error.code === 'invalid_transition')
  );
}

const outdated =
  'This signal changed while you were looking at it, so nothing was saved. You now see how it stands; your note is still here.';
