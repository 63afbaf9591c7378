import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ClientError } from '../../src/client/client-error.ts';
import type { AttributionRecordDetail, Dispute } from '../../src/client/types.ts';
import type { OpenDispute, ResolveDispute } from '../../src/contract/attribution.ts';
import { showDispute } from '../session/queries.ts';
import { useSession } from '../session/session.tsx';
import { Refused, Saved } from '../ui/outcome.tsx';
import { Author, StateMark } from '../ui/parts.tsx';
import { Ago } from '../ui/time.tsx';
import { disputeWords, tierWords } from '../ui/words.ts';
import { DecideForm, OpenForm } from './dispute-forms.tsx';

type Step = { open: OpenDispute } | { resolve: ResolveDispute; id: string };

/** The disputes of a record, and the one next step that there is: to open one, or to resolve the open one. */
export function Disputes({ record }: { record: AttributionRecordDetail }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [asked, setAsked] = useState(false);
  // Kept here, where it outlasts the form: somebody else may be the first to open a dispute.
  const [justification, setJustification] = useState('');
  const take = useMutation({
    mutationFn: (step: Step) =>
      'open' in step
        ? client.attribution.dispute(record.id, step.open)
        : client.attribution.resolveDispute(record.id, step.id, step.resolve),
    onSuccess: ({ data }) => {
      setAsked(false);
      if (data.status === 'open') setJustification('');
      showDispute(queries, data);
    },
    onError: (error) => {
      if (isOutdated(error)) void queries.invalidateQueries({ queryKey: ['attribution-record', record.id] });
    },
  });
  const open = record.dispute_history.find(({ status }) => status === 'open');
  const closed = record.dispute_history.filter(({ status }) => status !== 'open').toReversed();

  return (
    <section className="card section" aria-labelledby="disputes-title">
      <h2 id="disputes-title">Disputes</h2>
      {take.data && <Saved of={take.data}>{outcome(take.data.data)}</Saved>}
      <Refused error={take.error} fields={['claimed_tier', 'justification', 'note']}>
        {isOutdated(take.error) && `${take.error?.message} The record was read anew.`}
      </Refused>
      {open ? (
        <>
          <div className="advice">
            <Entry dispute={open} />
          </div>
          <DecideForm
            key={open.id}
            dispute={open}
            error={take.error}
            busy={take.isPending}
            onDecide={(resolve) => take.mutate({ resolve, id: open.id })}
          />
        </>
      ) : asked ? (
        <OpenForm
          key={record.tier}
          tier={record.tier}
          justification={justification}
          onWrite={setJustification}
          error={take.error}
          busy={take.isPending}
          onOpen={(open) => take.mutate({ open })}
          onCancel={() => setAsked(false)}
        />
      ) : (
        <div className="buttons">
          <Button variant="default" onClick={() => setAsked(true)}>
            Open a dispute
          </Button>
        </div>
      )}
      {!open && closed.length === 0 && !asked && (
        <p className="soft">Nobody has disputed this record. A dispute claims another tier, and says why.</p>
      )}
      {closed.length > 0 && (
        <ol className="timeline" aria-label="Earlier disputes, newest first">
          {closed.map((dispute) => (
            <li key={dispute.id}>
              <Entry dispute={dispute} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function Entry({ dispute }: { dispute: Dispute }) {
  const { status, tier_at_opening, claimed_tier, opened_by, opened_at, resolved_by, resolved_at } = dispute;
  return (
    <>
      <p className="timeline-head">
        <StateMark state={status} />
        <span className="strong">
          {tierWords[claimed_tier]} in place of {tierWords[tier_at_opening].toLowerCase()}
        </span>
      </p>
      <p className="written">{dispute.justification}</p>
      <p className="soft small">
        Claimed by <Author by={opened_by} />, <Ago at={opened_at} />
      </p>
      {resolved_at && (
        <>
          {dispute.resolution_note && <p className="written resolution">{dispute.resolution_note}</p>}
          <p className="soft small">
            {disputeWords[status]} by <Author by={resolved_by} />, <Ago at={resolved_at} />
          </p>
        </>
      )}
    </>
  );
}

function outcome({ status, claimed_tier }: Dispute): string {
  if (status === 'open') return 'The dispute is open. It is decided with a key that has the scope admin.';
  if (status === 'accepted')
    return `Accepted. The tier is now ${tierWords[claimed_tier].toLowerCase()}, and stays so.`;
  return `${disputeWords[status]}. The tier stays as it was.`;
}

/** What is on the screen no longer holds: another dispute was opened, this one is closed, or the tier has moved. */
function isOutdated(error: Error | null): boolean {
  return (
    error instanceof ClientError &&
    (error.status === 409 || error.details.some(({ field }) => field === 'claimed_tier'))
  );
}
