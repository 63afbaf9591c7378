import { Button, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ClientError } from '../../src/client/client-error.ts';
import type { ChangeSignal, SignalDetail } from '../../src/client/types.ts';
import { signalStateWords, signalTransitions } from '../../src/vocabulary.ts';
import { NeedsWrite, useMay, useSession } from '../session/session.tsx';
import { Refused, Saved } from '../ui/outcome.tsx';
import { showChange } from './queries.ts';

/** Changes apply only to the version on the screen. If it is out of date, the change fails and the signal reloads. */
export function SignalChange({ signal, etag }: { signal: SignalDetail; etag: string }) {
  const { client } = useSession();
  const mayWrite = useMay('write');
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
  const transitions = signalTransitions[signal.state];
  const disabled = !mayWrite || change.isPending;

  return (
    <div className="change">
      <Textarea
        label="Note"
        description={transitions.length > 0 ? 'Optional. Saved in the history with your change.' : undefined}
        autosize={false}
        rows={2}
        maxLength={2000}
        value={note}
        disabled={!mayWrite}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      {change.data && (
        <Saved of={change.data}>
          {change.variables.state
            ? `Saved. This signal is now ${signalStateWords[change.data.data.state]}.`
            : 'Note saved.'}
        </Saved>
      )}
      <Refused error={change.error}>{isOutdated(change.error) && outdated}</Refused>
      <div className="buttons">
        {transitions.map(({ to, label }, index) => (
          <Button
            key={to}
            {...(index > 0 && { variant: 'default' })}
            disabled={disabled}
            onClick={() => change.mutate({ state: to, ...written })}
          >
            {label}
          </Button>
        ))}
        <Button
          variant="subtle"
          disabled={disabled || note.trim() === ''}
          onClick={() => change.mutate(written)}
        >
          Add note
        </Button>
      </div>
      <NeedsWrite to="change signals" />
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
  'Someone else changed this signal, so your change was not saved. This is the current version. Your note is still here.';
