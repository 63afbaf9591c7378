import { Button, Radio, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Dispute } from '../../src/client/types.ts';
import type { Tier } from '../../src/contract/activity.ts';
import type { OpenDispute, ResolveDispute } from '../../src/contract/attribution.ts';
import { fieldError } from '../ui/outcome.tsx';
import { keysOf, tierWords } from '../ui/words.ts';

type Sending = { error: Error | null; busy: boolean };

type OpenProps = Sending & {
  tier: Tier;
  justification: string;
  onWrite(justification: string): void;
  onOpen(dispute: OpenDispute): void;
  onCancel(): void;
};

export function OpenForm({ tier, justification, error, busy, onWrite, onOpen, onCancel }: OpenProps) {
  const others = keysOf(tierWords).filter((other) => other !== tier);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const claimed_tier = new FormData(event.currentTarget).get('claimed_tier') as Tier;
    onOpen({ claimed_tier, justification });
  }

  return (
    <form className="form" aria-label="Open a dispute" onSubmit={submit}>
      <Radio.Group
        label="Claimed tier"
        name="claimed_tier"
        defaultValue={others[0] ?? null}
        error={fieldError(error, 'claimed_tier')}
      >
        <div className="options">
          {others.map((other) => (
            <Radio key={other} value={other} label={tierWords[other]} />
          ))}
        </div>
      </Radio.Group>
      <Textarea
        label="Justification"
        description="What happened, and where that can be seen. Both sides read it."
        rows={4}
        maxLength={5000}
        value={justification}
        onChange={(event) => onWrite(event.currentTarget.value)}
        error={fieldError(error, 'justification')}
      />
      <div className="buttons">
        <Button type="submit" disabled={busy}>
          Open the dispute
        </Button>
        <Button variant="subtle" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

type DecideProps = Sending & { dispute: Dispute; onDecide(decision: ResolveDispute): void };

export function DecideForm({ dispute, error, busy, onDecide }: DecideProps) {
  const [note, setNote] = useState('');
  const written = note.trim() === '' ? {} : { note };
  return (
    <div className="form">
      <Textarea
        label="Note"
        description="Optional; both sides read it with the decision."
        rows={2}
        maxLength={5000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        error={fieldError(error, 'note')}
      />
      <div className="buttons">
        <Button disabled={busy} onClick={() => onDecide({ status: 'accepted', ...written })}>
          Accept
        </Button>
        <Button
          variant="default"
          disabled={busy}
          onClick={() => onDecide({ status: 'rejected', ...written })}
        >
          Reject
        </Button>
        <Button
          variant="subtle"
          disabled={busy}
          onClick={() => onDecide({ status: 'withdrawn', ...written })}
        >
          Withdraw
        </Button>
      </div>
      <p className="soft small">
        Accepting sets the tier to {tierWords[dispute.claimed_tier].toLowerCase()} and keeps it there,
        whatever facts arrive later
        {dispute.claimed_tier === 'sourced' && '; a partner that holds it now falls to its next tier'}. To
        accept or reject needs a key with the scope admin.
      </p>
    </div>
  );
}
