import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { Signal } from '../../src/client/types.ts';
import { OpportunityLink, PartnerLink } from '../ui/entity-links.tsx';
import { formatMoney } from '../ui/format/numbers.ts';
import { Ago } from '../ui/format/time.tsx';
import { signalStatus } from '../ui/format/words.ts';
import { StatusMark, TypeTag } from '../ui/tags.tsx';

type Props = {
  signal: Signal;
  open: boolean;
  selected: boolean;
  /** Absent if the key cannot change signals. */
  onSelect: ((signals: Signal[], on: boolean) => void) | undefined;
};

export const SignalRow = memo(function SignalRow({ signal, open, selected, onSelect }: Props) {
  const { account, partner, assignee, owner, priority } = signal;
  return (
    <li className="row" data-open={open} data-selected={selected} data-state={signal.state}>
      {onSelect && (
        <label className="row-select">
          <input
            type="checkbox"
            checked={selected}
            aria-label={`Select ${account.name} with ${partner.name}`}
            onChange={(event) => onSelect([signal], event.currentTarget.checked)}
          />
        </label>
      )}
      <Priority priority={priority} />
      <div className="row-who" title={`${account.name} with ${partner.name}`}>
        <Link
          className="row-open strong"
          to="/signals/$signalId"
          params={{ signalId: signal.id }}
          search={true}
          resetScroll={false}
          data-signal={signal.id}
          aria-current={open ? 'true' : undefined}
        >
          <bdi>{account.name}</bdi>
        </Link>{' '}
        <span className="soft">
          with <PartnerLink partner={partner} />
        </span>
      </div>
      <OpportunityCell opportunity={signal.opportunity} />
      <div className="line row-marks">
        <TypeTag type={signal.type} />
        <StatusMark status={signalStatus(signal)} />
      </div>
      {/* Shows only the beginning of a long text. */}
      <p className="row-action" title={signal.recommended_action}>
        {signal.recommended_action}
      </p>
      <div className="row-fired soft small">
        {assignee ? (
          <span className="row-person" title={`${assignee.name} (${assignee.email})`}>
            <bdi>{assignee.name}</bdi>
          </span>
        ) : (
          owner && (
            <span className="row-person" title={`Owner: ${owner.name}`}>
              Owner: <bdi>{owner.name}</bdi>
            </span>
          )
        )}
        <Ago at={signal.fired_at} />
      </div>
    </li>
  );
});

function Priority({ priority }: Pick<Signal, 'priority'>) {
  if (priority === null) return null;
  return (
    <span className="row-priority" data-high={priority >= 60}>
      <span className="unseen">Priority </span>
      {priority}
    </span>
  );
}

function OpportunityCell({ opportunity }: { opportunity: Signal['opportunity'] }) {
  if (opportunity.stage === 'prospective')
    return <div className="row-opportunity soft">No open deal yet</div>;
  return (
    <div className="row-opportunity">
      <span className="opportunity-name" title={opportunity.name}>
        <OpportunityLink opportunity={opportunity} />
      </span>
      <span className="soft small">
        <span className="value">{formatMoney(opportunity.value, opportunity.currency)}</span>
        <span className="row-stage">
          {' '}
          · <bdi>{opportunity.stage}</bdi>
        </span>
      </span>
    </div>
  );
}
