import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { Signal } from '../../src/client/types.ts';
import { formatMoney } from '../ui/numbers.ts';
import { StatusMark, TypeTag } from '../ui/tags.tsx';
import { Ago } from '../ui/time.tsx';

export const SignalRow = memo(function SignalRow({
  signal,
  selected,
}: {
  signal: Signal;
  selected: boolean;
}) {
  return (
    <li className="row" data-selected={selected} data-state={signal.state}>
      <Link
        className="row-who"
        to="/signals/$signalId"
        params={{ signalId: signal.id }}
        search={true}
        resetScroll={false}
        data-signal={signal.id}
        aria-current={selected ? 'true' : undefined}
      >
        <bdi className="strong">{signal.account.name}</bdi>{' '}
        <span className="soft">
          with <bdi>{signal.partner.name}</bdi>
        </span>
      </Link>
      <Deal opportunity={signal.opportunity} />
      <div className="row-marks">
        <TypeTag type={signal.type} />
        <StatusMark status={signal.state} />
      </div>
      <p className="row-action">{signal.recommended_action}</p>
      <div className="row-fired soft small">
        {signal.priority !== null && `Priority ${signal.priority} · `}
        <Ago at={signal.fired_at} />
      </div>
    </li>
  );
});

function Deal({ opportunity }: { opportunity: Signal['opportunity'] }) {
  if (opportunity.stage === 'prospective') return <div className="row-deal soft">No open deal yet</div>;
  return (
    <div className="row-deal">
      <bdi className="deal-name">{opportunity.name}</bdi>
      <span className="soft small">
        <span className="value">{formatMoney(opportunity.value, opportunity.currency)}</span> ·{' '}
        <bdi>{opportunity.stage}</bdi>
      </span>
    </div>
  );
}
