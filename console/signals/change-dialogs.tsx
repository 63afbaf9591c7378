import { Button, Checkbox, Radio, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { ChangeSignal } from '../../src/client/types.ts';
import { type DismissReason, dismissReasons, dismissReasonWords } from '../../src/vocabulary.ts';
import { type Me, useMe } from '../session/me.ts';
import { Dialog } from '../ui/dialog.tsx';
import { plural } from '../ui/numbers.ts';
import { capitalize } from '../ui/words.ts';

type DismissProps = { count: number; onClose(): void; onDismiss(change: ChangeSignal): void };

const reasonHelp: Record<DismissReason, string> = {
  not_relevant: 'The partner cannot help here.',
  wrong_match: 'The two companies are not the same. The pair goes to the top of the review queue.',
  too_late: 'The deal is too far along.',
  already_known: 'You already work on this with the partner.',
};

/** Asks why. The reasons show which rules perform. */
export function DismissDialog({ count, onClose, onDismiss }: DismissProps) {
  const [reason, setReason] = useState<DismissReason>('not_relevant');
  function submit(event: FormEvent) {
    event.preventDefault();
    onDismiss({ state: 'expired', dismiss_reason: reason });
  }
  return (
    <Dialog title={`Dismiss ${whichOf(count)}`} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <Radio.Group label="Why?" value={reason} onChange={(value) => setReason(value as DismissReason)}>
          <div className="options">
            {dismissReasons.map((value) => (
              <Radio
                key={value}
                value={value}
                label={capitalize(dismissReasonWords[value])}
                description={reasonHelp[value]}
                autoFocus={value === reason}
              />
            ))}
          </div>
        </Radio.Group>
        <div className="buttons">
          <Button type="submit">Dismiss</Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function whichOf(count: number): string {
  return count === 1 ? 'this signal' : plural(count, 'signal');
}

type AssignProps = {
  count: number;
  assignee: { name: string; email: string | null } | null;
  onClose(): void;
  onAssign(assignee: Me | null): void;
};

export function AssignDialog({ count, assignee, onClose, onAssign }: AssignProps) {
  const [me, setMe] = useMe();
  return (
    <Dialog title={`Assign ${whichOf(count)}`} onClose={onClose}>
      <PersonForm
        person={assignee?.email ? { name: assignee.name, email: assignee.email } : me}
        action="Assign"
        onClose={onClose}
        onSubmit={(person, isMe) => {
          if (isMe) setMe(person);
          onAssign(person);
        }}
        askIfMe
      >
        <Button variant="subtle" onClick={() => onAssign(null)}>
          Unassign
        </Button>
      </PersonForm>
    </Dialog>
  );
}

/** Asks who works in this browser. */
export function WhoDialog({ onClose, onKnown }: { onClose(): void; onKnown(me: Me): void }) {
  const [me, setMe] = useMe();
  return (
    <Dialog title="Who are you?" onClose={onClose}>
      <p className="soft">
        Signals assigned to this address are yours. This browser remembers it, and your name appears in the
        history of what you change.
      </p>
      <PersonForm
        person={me}
        action="Save"
        onClose={onClose}
        onSubmit={(person) => {
          setMe(person);
          onKnown(person);
        }}
      />
    </Dialog>
  );
}

type PersonFormProps = {
  person: Me | null;
  action: string;
  askIfMe?: boolean;
  onClose(): void;
  onSubmit(person: Me, isMe: boolean): void;
  children?: React.ReactNode;
};

function PersonForm({ person, action, askIfMe, onClose, onSubmit, children }: PersonFormProps) {
  const [me] = useMe();
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name)).trim();
    onSubmit({ name: text('name'), email: text('email') }, form.get('me') !== null);
  }
  return (
    <form className="form" onSubmit={submit}>
      <TextInput label="Name" name="name" required maxLength={200} defaultValue={person?.name} autoFocus />
      <TextInput
        label="E-mail"
        name="email"
        type="email"
        required
        maxLength={320}
        defaultValue={person?.email}
      />
      {askIfMe && !me && <Checkbox name="me" label="This is me. Remember me in this browser." />}
      <div className="buttons">
        <Button type="submit">{action}</Button>
        {children}
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
