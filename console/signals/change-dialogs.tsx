import { Button, Checkbox, Radio, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ChangeSignal, Signal } from '../../src/client/types.ts';
import { type DismissReason, dismissReasons, dismissReasonWords, textLimits } from '../../src/vocabulary.ts';
import { type Me, useMe } from '../session/me.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, textOf } from '../ui/form.tsx';
import { plural } from '../ui/format/numbers.ts';
import { capitalize } from '../ui/format/words.ts';

type Props = {
  /** Undefined if there is nothing to ask. */
  about: 'dismiss' | 'assign' | undefined;
  signals: Signal[];
  onClose(): void;
  onChange(change: ChangeSignal): void;
};

export function ChangeDialog({ about, ...props }: Props) {
  if (about === 'dismiss') return <DismissDialog {...props} />;
  if (about === 'assign') return <AssignDialog {...props} />;
  return null;
}

type DialogProps = Omit<Props, 'about'>;

const reasonHelp: Record<DismissReason, string> = {
  not_relevant: 'The partner cannot help here.',
  wrong_match: 'The two companies are not the same. The pair goes to the top of the review queue.',
  too_late: 'The deal is too far along.',
  already_known: 'You already work on this with the partner.',
};

/** Asks why. The reasons show which rules perform. */
function DismissDialog({ signals, onClose, onChange }: DialogProps) {
  const [reason, setReason] = useState<DismissReason>('not_relevant');
  return (
    <Dialog title={`Dismiss ${whichOf(signals)}`} onClose={onClose}>
      <Form className="form" onSend={() => onChange({ state: 'expired', dismiss_reason: reason })}>
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
      </Form>
    </Dialog>
  );
}

function whichOf({ length: count }: Signal[]): string {
  return count === 1 ? 'this signal' : plural(count, 'signal');
}

function AssignDialog({ signals, onClose, onChange }: DialogProps) {
  const [me, setMe] = useMe();
  const assignee = signals.length === 1 ? signals[0]?.assignee : null;
  return (
    <Dialog title={`Assign ${whichOf(signals)}`} onClose={onClose}>
      <PersonForm
        person={assignee?.email ? { name: assignee.name, email: assignee.email } : me}
        action="Assign"
        onClose={onClose}
        onSubmit={(person, isMe) => {
          if (isMe) setMe(person);
          onChange({ assignee: person });
        }}
        askIfMe
      >
        <Button variant="subtle" onClick={() => onChange({ assignee: null })}>
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
  children?: ReactNode;
};

function PersonForm({ person, action, askIfMe, onClose, onSubmit, children }: PersonFormProps) {
  const [me] = useMe();
  return (
    <Form
      className="form"
      onSend={(form) =>
        onSubmit({ name: textOf(form, 'name'), email: textOf(form, 'email') }, form.has('me'))
      }
    >
      <TextInput
        label="Name"
        name="name"
        required
        maxLength={textLimits.name}
        defaultValue={person?.name}
        autoFocus
      />
      <TextInput
        label="E-mail"
        name="email"
        type="email"
        required
        maxLength={textLimits.email}
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
    </Form>
  );
}
