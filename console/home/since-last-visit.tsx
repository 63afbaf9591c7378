import { useEffect, useState } from 'react';
import type { AttributionSummary, SignalSummary } from '../../src/client/types.ts';
import { useSession } from '../session/session.tsx';
import { totalOf } from '../signals/search.ts';
import { plural } from '../ui/format/numbers.ts';
import { Ago } from '../ui/format/time.tsx';
import { rememberVisit, type Snapshot } from './visits.ts';

/** What changed since the last visit, which this browser remembers. */
export function SinceLastVisit({ signals, credit }: { signals: SignalSummary; credit: AttributionSummary }) {
  const { apiKey } = useSession();
  const [before, setBefore] = useState<Snapshot>();
  const now = snapshotOf(signals, credit);
  const known = JSON.stringify(now);
  useEffect(() => {
    const snapshot = { ...(JSON.parse(known) as Omit<Snapshot, 'at'>), at: new Date().toISOString() };
    setBefore(rememberVisit(apiKey.organization.id, snapshot));
  }, [apiKey.organization.id, known]);
  if (!before) return <p className="soft small">On your next visit, this line shows what has changed.</p>;
  const changes = [
    [now.fired - before.fired, 'new signal'],
    [now.handled - before.handled, 'signal handled', 'signals handled'],
    [now.expired - before.expired, 'signal expired', 'signals expired'],
    [now.deals - before.deals, 'new credited deal'],
    [now.credits - before.credits, 'new attribution record'],
  ] as const;
  const words = changes.flatMap(([count, one, many]) => (count > 0 ? [plural(count, one, many)] : []));
  return (
    <p className="small since">
      <span className="soft">
        Since your last visit <Ago at={before.at} />:
      </span>{' '}
      {words.length > 0 ? words.join(', ') : 'nothing new'}.
    </p>
  );
}

function snapshotOf(signals: SignalSummary, { totals }: AttributionSummary): Omit<Snapshot, 'at'> {
  const sum = (of: 'deals' | 'credits') => totals.reduce((all, amounts) => all + amounts[of], 0);
  return {
    fired: signals.total,
    handled: totalOf(signals, ['handled']),
    expired: totalOf(signals, ['expired']),
    deals: sum('deals'),
    credits: sum('credits'),
  };
}
