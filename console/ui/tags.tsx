import { type SignalType, signalTypeWords, type Tier, tierWords } from '../../src/vocabulary.ts';
import { capitalize, type Status, statusLabel } from './format/words.ts';

export function TypeTag({ type }: { type: SignalType }) {
  return (
    <span className="tag" data-type={type}>
      {capitalize(signalTypeWords[type])}
    </span>
  );
}

export function TierTag({ tier }: { tier: Tier }) {
  return (
    <span className="tag" data-tier={tier}>
      {capitalize(tierWords[tier])}
    </span>
  );
}

export function StatusMark({ status }: { status: Status }) {
  return (
    <span className="status" data-status={status}>
      {statusLabel(status)}
    </span>
  );
}
