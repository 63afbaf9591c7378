import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ClientError } from '../../src/client/client-error.ts';
import type {
  AttributionRecordDetail,
  Dispute,
  OpenDispute,
  ResolveDispute,
} from '../../src/client/types.ts';
import { tierWords } from '../../src/vocabulary.ts';
import { showDispute } from '../credit/queries.ts';
import { NeedsWrite, useMay, useSession } from '../session/session.tsx';
import { Author } from '../ui/author.tsx';
import { Ago } from '../ui/format/time.tsx';
import { capitalize, statusLabel } from '../ui/format/words.ts';
import { Refused, Saved } from '../ui/outcome.tsx';
import { Section } from '../ui/section.tsx';
import { StatusMark } from '../ui/tags.tsx';
import { DecideForm, OpenForm } from './dispute-forms.tsx';

type Step = { open: OpenDispute } | { resolve: ResolveDispute; id: string };

/** The disputes of a record, with the next step: open one, or resolve the open one. */
export function Disputes({ record }: { record: AttributionRecordDetail }) {
  const { client } = useSession();
  const mayOpen = useMay('write');
  const queries = useQueryClient();
  const [asked, setAsked] = useState(false);
  // Kept outside the form, which disappears when someone else opens a dispute first.
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
    <Section id="disputes" title="Disputes">
      {take.data && <Saved of={take.data}>{outcome(take.data.data)}</Saved>}
      <Refused error={take.error} fields={['claimed_tier', 'justification', 'note']}>
        {isOutdated(take.error) && `${take.error?.message} The record has been reloaded.`}
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
          <Button variant="default" disabled={!mayOpen} onClick={() => setAsked(true)}>
            Open a dispute
          </Button>
        </div>
      )}
      {!open && closed.length === 0 && !asked && (
        <p className="soft">
          There are no disputes about this record. To claim another tier, open one and say why.
        </p>
      )}
      <NeedsWrite to="open or withdraw disputes" />
      {closed.length > 0 && (
        <ol className="timeline" aria-label="Earlier disputes, newest first">
          {closed.map((dispute) => (
            <li key={dispute.id}>
              <Entry dispute={dispute} />
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

function Entry({ dispute }: { dispute: Dispute }) {
  const { status, tier_at_opening, claimed_tier, opened_by, opened_at, resolved_by, resolved_at } = dispute;
  return (
    <>
      <p className="timeline-head">
        <StatusMark status={status} />
        <span className="strong">
          {capitalize(tierWords[claimed_tier])} instead of {tierWords[tier_at_opening]}
        </span>
      </p>
      <p className="written">{dispute.justification}</p>
      <p className="soft small">
        Opened by <Author by={opened_by} />, <Ago at={opened_at} />
      </p>
      {resolved_at && (
        <>
          {dispute.resolution_note && <p className="written resolution">{dispute.resolution_note}</p>}
          <p className="soft small">
            {statusLabel(status)} by <Author by={resolved_by} />, <Ago at={resolved_at} />
          </p>
        </>
      )}
    </>
  );
}

function outcome({ status, claimed_tier }: Dispute): string {
  if (status === 'open') return 'Dispute opened. Someone with another admin key can now decide it.';
  if (status === 'accepted') return `Accepted. The tier is now ${tierWords[claimed_tier]}.`;
  return `${statusLabel(status)}. The tier has not changed.`;
}

/** The record on the screen is out of date: a dispute was opened or closed, or the tier changed. */
function isOutdated(error: Error | null): boolean {
  return (
    error instanceof ClientError &&
    (error.status === 409 || error.details.some(({ field }) => field === 'claimed_tier'))
  );
}
