import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Scorecard } from '../../src/client/types.ts';
import { partnerTiers, partnerTypes, partnerTypeWords } from '../../src/vocabulary.ts';
import { NoCurrency } from '../credit/no-currency.tsx';
import { toQuery } from '../credit/period.ts';
import { PeriodChoices } from '../credit/period-choices.tsx';
import { useSession } from '../session/session.tsx';
import { Sparkline } from '../ui/charts/sparkline.tsx';
import { Choices } from '../ui/choices.tsx';
import { Download } from '../ui/download.tsx';
import { PartnerLink } from '../ui/entity-links.tsx';
import { Loading } from '../ui/feedback.tsx';
import { Filters } from '../ui/filters.tsx';
import { formatCompactMoney, formatNumber, formatWholeMoney, plural } from '../ui/format/numbers.ts';
import { formatMonth } from '../ui/format/time.tsx';
import { capitalize } from '../ui/format/words.ts';
import { ImportCommand } from '../ui/import-command.tsx';
import { Loaded, NoRows } from '../ui/listing.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { scorecard } from './queries.ts';
import {
  hasDeals,
  isAscending,
  type PartnerScore,
  type PartnerSearch,
  type PartnerSort,
  partnerSorts,
  scoreColumns,
  sortScores,
} from './scores.ts';

export function PartnersPage() {
  const { client } = useSession();
  const search = useSearch({ from: '/partners' });
  const { sort: _sort, order: _order, ...filters } = search;
  const query = useQuery(scorecard(client, filters));
  return (
    <div className="partners">
      <title>Partners · Partner Signals</title>
      <div className="page-head">
        <h1>Partners</h1>
        <Download name="partners" csv={() => client.partners.scorecardCsv(toQuery(filters))} />
      </div>
      <Filters active={[search.type, search.tier, search.from ?? search.to]}>
        <Choices
          label="Type"
          to="/partners"
          search={search}
          name="type"
          values={partnerTypes}
          words={partnerTypeWords}
        />
        <Choices label="Tier" to="/partners" search={search} name="tier" values={partnerTiers} />
        <PeriodChoices to="/partners" search={search} label="Deals closed in" />
      </Filters>
      <Loaded
        query={query}
        loading={
          <div className="card">
            <Loading shape="table" rows={10} />
          </div>
        }
      >
        {(data) => <Scores scorecard={data} search={search} filters={filters} />}
      </Loaded>
    </div>
  );
}

const shownFirst = 100;

type Props = { scorecard: Scorecard; search: PartnerSearch; filters: object };

function Scores({ scorecard, search, filters }: Props) {
  const { currency, partners, months, ...card } = scorecard;
  const [shown, setShown] = useState(shownFirst);
  const { sort = 'credited', order } = search;
  const ascending = isAscending(sort, order);
  const rows = sortScores(partners, sort, ascending);
  if (rows.length === 0)
    return (
      <div className="card">
        <NoRows
          filtered={{ by: filters, what: 'partners', to: '/partners' }}
          none="There are no partners yet."
        >
          Import your partners to compare what each contributes. <ImportCommand kind="partners" />
        </NoRows>
      </div>
    );
  return (
    <>
      {currency === null && hasDeals(scorecard) && <NoCurrency none={false} />}
      <ScrollRegion label="Scorecard" className="card">
        <table className="table scores many-columns">
          <thead>
            <tr>
              {partnerSorts.map((column) => (
                <SortHead key={column} column={column} search={search} sort={sort} ascending={ascending} />
              ))}
              <th scope="col" className="number">
                Trend
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((score) => (
              <Row key={score.partner.id} score={score} currency={currency} months={months} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {rows.length > shown && (
        <div className="more">
          <Button variant="default" onClick={() => setShown(shown + shownFirst)}>
            Show more of {plural(rows.length, 'partner')}
          </Button>
        </div>
      )}
      <p className="soft small notes">
        Credited, sourced, co-sell and influenced: what your attribution policy credits for won deals
        {currency ? `, in ${currency}` : ''}.
        {card.unconverted_deals > 0 &&
          ` ${plural(card.unconverted_deals, 'deal')} without an exchange rate ${card.unconverted_deals === 1 ? 'is' : 'are'} not included.`}{' '}
        Win rate: share of closed deals that the partner worked on and that were won. Density: share of the
        open deals you have in common that the partner worked on in the last {card.window_days} days. Trend:
        credit by month over the last 12 months, with the first and the last month below.
      </p>
    </>
  );
}

type HeadProps = { column: PartnerSort; search: PartnerSearch; sort: PartnerSort; ascending: boolean };

function SortHead({ column, search, sort, ascending }: HeadProps) {
  const sorted = column === sort;
  const flipped = search.order === 'ascending' ? undefined : ('ascending' as const);
  return (
    <th
      scope="col"
      className={column === 'name' ? undefined : 'number'}
      aria-sort={sorted ? (ascending ? 'ascending' : 'descending') : undefined}
    >
      <Link
        to="/partners"
        search={{ ...search, sort: column, order: sorted ? flipped : undefined }}
        className="sort"
        resetScroll={false}
      >
        {scoreColumns[column].name}
        <span aria-hidden="true">{sorted ? (ascending ? ' ↑' : ' ↓') : ''}</span>
      </Link>
    </th>
  );
}

type RowProps = { score: PartnerScore; currency: string | null; months: string[] };

function Row({ score, currency, months }: RowProps) {
  const { partner, win_rate, won_deals, lost_deals, trend } = score;
  const money = (value: number | null) => (value ? formatWholeMoney(value, currency) : <None />);
  return (
    <tr>
      <td>
        <PartnerLink partner={partner} className="strong" />
        <div className="soft small">
          {capitalize(partnerTypeWords[partner.type])}, tier {partner.tier}
        </div>
      </td>
      <Cell of="credited">{money(score.credited_value)}</Cell>
      <Cell of="sourced">{money(score.sourced_value)}</Cell>
      <Cell of="co_sell">{money(score.co_sell_value)}</Cell>
      <Cell of="influenced">{money(score.influenced_value)}</Cell>
      <Cell of="win_rate">
        {win_rate === null ? (
          <None />
        ) : (
          <>
            {win_rate}%{' '}
            <span className="soft small">
              ({won_deals} of {won_deals + lost_deals})
            </span>
          </>
        )}
      </Cell>
      <Cell of="open_deals">{formatNumber(score.open_deals)}</Cell>
      <Cell of="density">{score.co_sell_density_score}%</Cell>
      <Cell of="signals">{formatNumber(score.active_signal_count)}</Cell>
      <td className="number" data-label="Trend">
        {trend ? (
          <Sparkline
            values={trend}
            label={inWords(trend, months, currency)}
            format={(value) => formatCompactMoney(value, currency)}
          />
        ) : (
          <None />
        )}
      </td>
    </tr>
  );
}

function Cell({ of, children }: { of: PartnerSort; children: ReactNode }) {
  return (
    <td className="number" data-label={scoreColumns[of].name}>
      {children}
    </td>
  );
}

function None() {
  return (
    <span className="soft">
      <span aria-hidden="true">–</span>
      <span className="unseen">none</span>
    </span>
  );
}

function inWords(trend: number[], months: string[], currency: string | null): string {
  const credited = trend.flatMap((value, index) =>
    value > 0 ? [`${formatMonth(months[index] ?? '')} ${formatWholeMoney(value, currency)}`] : [],
  );
  return credited.length > 0 ? `Credit by month: ${credited.join(', ')}` : 'No credit in the last 12 months';
}
