import { Button, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChangeSignal, SignalDetail } from '../../src/client/types.ts';
import { restoredState, signalTransitions, textLimits } from '../../src/vocabulary.ts';
import { NeedsWrite, useMay, useSession } from '../session/session.tsx';
import { signalStatus, statusLabel } from '../ui/format/words.ts';
import { hasCode, Refused, Saved } from '../ui/outcome.tsx';
import { ChangeDialog } from './change-dialogs.tsx';
import { showChange } from './queries.ts';

/** Changes apply only to the version on the screen. If it is out of date, the change fails and the signal reloads. */
export function SignalChange({ signal, etag }: { signal: SignalDetail; etag: string }) {
  const { client } = useSession();
  const mayWrite = useMay('write');
  const queries = useQueryClient();
  const [note, setNote] = useState('');
  const [asking, setAsking] = useState<'dismiss' | 'assign'>();
  const change = useMutation({
    mutationFn: (body: ChangeSignal) => client.signals.change(signal.id, body, { ifMatch: etag }),
    onSuccess: (changed) => {
      setNote('');
      showChange(queries, changed);
    },
    onError: (error) => {
      if (hasCode(error, 'precondition_failed'))
        void queries.invalidateQueries({ queryKey: ['signal', signal.id] });
    },
  });
  const written = note.trim() === '' ? {} : { note };
  const transitions =
    signal.end_reason === 'dismissed'
      ? [{ to: restoredState, label: 'Restore' } as const]
      : signalTransitions[signal.state];
  const disabled = !mayWrite || change.isPending;
  const submit = (body: ChangeSignal) => {
    setAsking(undefined);
    change.mutate({ ...body, ...written });
  };

  return (
    <div className="spaced">
      <Textarea
        label="Note"
        description={transitions.length > 0 ? 'Optional. Saved in the history with your change.' : undefined}
        autosize={false}
        rows={2}
        maxLength={textLimits.note}
        value={note}
        disabled={!mayWrite}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      {change.data && (
        <Saved of={change.data}>
          {change.variables.state
            ? `Saved. This signal is now ${statusLabel(signalStatus(change.data.data)).toLowerCase()}.`
            : change.variables.assignee !== undefined
              ? 'Assignment saved.'
              : 'Note saved.'}
        </Saved>
      )}
      <Refused error={change.error}>{hasCode(change.error, 'precondition_failed') && outdated}</Refused>
      <div className="buttons">
        {transitions.map(({ to, label }, index) => (
          <Button
            key={to}
            {...(index > 0 && { variant: 'default' })}
            disabled={disabled}
            onClick={() => (to === 'expired' ? setAsking('dismiss') : submit({ state: to }))}
          >
            {label}
          </Button>
        ))}
        <Button variant="default" disabled={disabled} onClick={() => setAsking('assign')}>
          Assign
        </Button>
        <Button variant="subtle" disabled={disabled || note.trim() === ''} onClick={() => submit({})}>
          Add note
        </Button>
      </div>
      <NeedsWrite to="change signals" />
      <ChangeDialog
        about={asking}
        signals={[signal]}
        onClose={() => setAsking(undefined)}
        onChange={submit}
      />
    </div>
  );
}

const outdated =
  'Someone else changed this signal, so your change was not saved. This is the current version. Your note is still here.';
