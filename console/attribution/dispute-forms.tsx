import { Button, Radio, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Dispute, OpenDispute, ResolveDispute } from '../../src/client/types.ts';
import { type Tier, textLimits, tiers, tierWords } from '../../src/vocabulary.ts';
import { useMay, useSession } from '../session/session.tsx';
import { Form } from '../ui/form.tsx';
import { capitalize } from '../ui/format/words.ts';
import { fieldError } from '../ui/outcome.tsx';

type Sending = { error: Error | null; busy: boolean };

type OpenProps = Sending & {
  tier: Tier;
  justification: string;
  onWrite(justification: string): void;
  onOpen(dispute: OpenDispute): void;
  onCancel(): void;
};

export function OpenForm({ tier, justification, error, busy, onWrite, onOpen, onCancel }: OpenProps) {
  // A partner hardly ever claims less, so a lower tier is never preselected.
  const [claimed, setClaimed] = useState(tiers[tiers.indexOf(tier) - 1]);
  const [tierMissing, setTierMissing] = useState(false);

  function send() {
    setTierMissing(claimed === undefined);
    if (claimed) onOpen({ claimed_tier: claimed, justification });
  }

  return (
    <Form className="form" aria-label="Open a dispute" onSend={send}>
      <Radio.Group
        label="Claimed tier"
        name="claimed_tier"
        value={claimed ?? null}
        onChange={(tier) => setClaimed(tier as Tier)}
        error={(tierMissing && !claimed && 'Choose a tier.') || fieldError(error, 'claimed_tier')}
      >
        <div className="options">
          {tiers
            .filter((other) => other !== tier)
            .map((other) => (
              <Radio key={other} value={other} label={capitalize(tierWords[other])} />
            ))}
        </div>
      </Radio.Group>
      <Textarea
        label="Justification"
        description="Say what happened and where the proof is. Both sides can read this."
        rows={4}
        maxLength={textLimits.dispute}
        value={justification}
        onChange={(event) => onWrite(event.currentTarget.value)}
        error={fieldError(error, 'justification', 'Enter a justification.')}
      />
      <div className="buttons">
        <Button type="submit" disabled={busy}>
          Open dispute
        </Button>
        <Button variant="subtle" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}

type DecideProps = Sending & { dispute: Dispute; onDecide(decision: ResolveDispute): void };

export function DecideForm({ dispute, error, busy, onDecide }: DecideProps) {
  const [note, setNote] = useState('');
  const decide = (status: ResolveDispute['status']) =>
    onDecide({ status, ...(note.trim() !== '' && { note }) });
  const mayWithdraw = useMay('write');
  const obstacle = useObstacle(dispute);
  return (
    <div className="form">
      <Textarea
        label="Note"
        description="Optional. Both sides can read this with the decision."
        rows={2}
        maxLength={textLimits.dispute}
        value={note}
        disabled={!mayWithdraw}
        onChange={(event) => setNote(event.currentTarget.value)}
        error={fieldError(error, 'note')}
      />
      <div className="buttons">
        <Button disabled={busy || obstacle !== undefined} onClick={() => decide('accepted')}>
          Accept
        </Button>
        <Button
          variant="default"
          disabled={busy || obstacle !== undefined}
          onClick={() => decide('rejected')}
        >
          Reject
        </Button>
        <Button variant="subtle" disabled={busy || !mayWithdraw} onClick={() => decide('withdrawn')}>
          Withdraw
        </Button>
      </div>
      {obstacle && <p className="small">{obstacle}</p>}
      <p className="soft small">
        Accepting sets the tier to {tierWords[dispute.claimed_tier]} permanently: later data does not change
        it.
        {dispute.claimed_tier === 'sourced' &&
          ' If another partner has sourced credit for this deal, it drops to its next tier.'}
      </p>
    </div>
  );
}

/** Why this key cannot accept or reject the dispute. */
function useObstacle({ opened_by }: Dispute): string | undefined {
  const { apiKey } = useSession();
  const mayDecide = useMay('admin');
  if (!mayDecide)
    return 'To accept or reject, you need a key with the scope admin. Whoever runs the service can create one.';
  if (opened_by.key_id === apiKey.id && apiKey.organization.self_decision === 'never')
    return 'You opened this dispute with this key. Ask a colleague who has another admin key to decide it.';
  return undefined;
}
