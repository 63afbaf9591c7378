import type { Scorecard } from '../../src/client/types.ts';
import { NoCurrency } from '../credit/no-currency.tsx';
import { hasDeals } from '../partners/scores.ts';
import { TierBar } from '../ui/charts/shares.tsx';
import { PartnerLink } from '../ui/entity-links.tsx';
import { formatWholeMoney, plural } from '../ui/format/numbers.ts';

const shown = 6;

/** The partners with the most credit in the last 12 months. */
export function Leaderboard({ scorecard }: { scorecard: Scorecard }) {
  const { currency, partners } = scorecard;
  const leaders = partners
    .filter(({ credited_value }) => (credited_value ?? 0) > 0)
    .sort((a, b) => (b.credited_value ?? 0) - (a.credited_value ?? 0))
    .slice(0, shown);
  if (currency === null || leaders.length === 0)
    return <NoCurrency none={currency !== null || !hasDeals(scorecard)} />;
  const most = leaders[0]?.credited_value ?? 0;
  return (
    <ol className="leaders">
      {leaders.map(({ partner, credited_value, win_rate, won_deals, ...score }) => (
        <li key={partner.id}>
          <span className="leader-name">
            <PartnerLink partner={partner} />
          </span>
          <span className="value strong">{formatWholeMoney(credited_value ?? 0, currency)}</span>
          <TierBar
            of={most}
            currency={currency}
            value={{
              sourced: score.sourced_value ?? 0,
              co_sell: score.co_sell_value ?? 0,
              influenced: score.influenced_value ?? 0,
            }}
          />
          <span className="soft small">
            {formatWholeMoney(score.sourced_value ?? 0, currency)} sourced ·{' '}
            {win_rate === null
              ? 'no closed joint deals'
              : `${win_rate}% of ${plural(won_deals + score.lost_deals, 'joint deal')} won`}
          </span>
        </li>
      ))}
    </ol>
  );
}
