import { type Command, Option } from 'commander';
import type {
  AttributionSummary,
  Overlap,
  Partner,
  PartnerActivity,
  PartnerDetail,
  Scorecard,
} from '../../client/types.ts';
import { type PartnerType, partnerTiers, partnerTypes } from '../../vocabulary.ts';
import { clientCommands, group } from '../commands.ts';
import { type ClientConnection, connectClient } from '../connection.ts';
import { usageError } from '../terminal/exit-codes.ts';
import { type ListOptions, note, tableOf, withList, writeList, writeRows } from '../terminal/output.ts';
import { type Column, formatRecord } from '../terminal/table.ts';
import { formatNumber, money, utc } from '../terminal/values.ts';
import { activityColumns, inWords } from '../terminal/words.ts';

const partnerId = { '<id>': 'ID of the partner (prt_…)' };
type Filters = { q?: string; type?: PartnerType; tier?: string; sort?: 'name' | 'credited' };

const filters = () => [
  new Option('--type <type>', 'only partners of this type').choices(partnerTypes),
  new Option('--tier <n>', 'only partners in this program tier').choices(partnerTiers.map(String)),
];

export function partnersCommand(): Command {
  return group('partners', 'See partners, their activities and the accounts you share.', {
    examples: `partner-signals partners list --tier 1
    partner-signals partners show prt_01h…
    partner-signals partners overlaps prt_01h…`,
    commands: [
      clientCommands.command('list', 'List partners by name, or by what they are credited with.', {
        withOutput: withList,
        options: [
          new Option('--sort <order>', 'name, or credited: largest credited value first, of all won deals')
            .choices(['name', 'credited'])
            .default('name'),
          new Option('--q <text>', 'only partners whose name begins with this'),
          ...filters(),
        ],
        examples: `partner-signals partners list --type gsi --tier 1
        partner-signals partners list --sort credited --limit 5`,
        run: listPartners,
      }),
      clientCommands.one(
        'scorecard',
        'Compare what partners contribute: credit, win rate, open deals, signals.',
        {
          options: filters(),
          examples: 'partner-signals partners scorecard --tier 1',
          get: (client, options: Filters) => client.partners.scorecard(query(options)),
          csv: (client, options: Filters) => client.partners.scorecardCsv(query(options)),
          lines: scorecardLines,
        },
      ),
      clientCommands.one('show', 'Show a partner with its co-sell density score.', {
        arguments: partnerId,
        examples: 'partner-signals partners show prt_01h…',
        get: (client, _, id) => client.partners.get(id),
        lines: detail,
      }),
      clientCommands.list('activities', "List a partner's activities, newest first.", {
        arguments: partnerId,
        examples: 'partner-signals partners activities prt_01h… --limit 100',
        columns: activityColumns<PartnerActivity>({
          head: 'ACCOUNT',
          value: ({ account }) => account.name,
          shrink: true,
        }),
        rows: (client, { limit }, id) => client.partners.activities(id, { limit }),
      }),
      clientCommands.list('overlaps', 'List the accounts that you share with a partner, and what matched.', {
        arguments: partnerId,
        examples: 'partner-signals partners overlaps prt_01h… --all --json',
        columns: overlapColumns,
        rows: (client, { limit }, id) => client.partners.overlaps(id, { limit }),
      }),
    ],
  });
}

async function listPartners(options: Filters & ListOptions & ClientConnection): Promise<void> {
  const client = await connectClient(options);
  const { q, type, tier, sort } = options;
  if (sort === 'credited') {
    if (tier !== undefined || q !== undefined)
      throw usageError('--sort credited cannot be combined with --tier or --q.');
    const { data } = await client.attribution.summary();
    const { by_partner } = data.converted ?? data;
    const rows = by_partner
      .filter(({ partner }) => type === undefined || partner.type === type)
      .sort((a, b) => b.credited_value - a.credited_value);
    await writeRows(options, creditedColumns, rows);
    if (data.converted && data.converted.unconverted.length > 0)
      note('Some deals are not included, because there is no exchange rate; see `attribution summary`.');
    else if (!data.converted && data.totals.length > 1)
      note('Amounts are in several currencies; set a reporting currency to compare them.');
    return;
  }
  await writeList(options, columns, (limit) => client.partners.list({ q, ...query(options), limit }));
}

function query({ type, tier }: Filters) {
  return { type, tier: tier === undefined ? undefined : Number(tier) };
}

const creditedColumns: Column<AttributionSummary['by_partner'][number]>[] = [
  { head: 'ID', value: ({ partner }) => partner.id },
  { head: 'NAME', value: ({ partner }) => partner.name, shrink: true },
  { head: 'TYPE', value: ({ partner }) => inWords(partner.type), optional: true },
  { head: 'CREDITED', value: ({ credited_value, currency }) => money(credited_value, currency), right: true },
  { head: 'DEALS', value: ({ deals }) => formatNumber(deals), right: true },
];

type Score = Scorecard['partners'][number];

function scorecardLines({ currency, partners }: Scorecard): string {
  const amount = (value: number | null) => (value === null ? null : money(value, currency));
  const columns: Column<Score>[] = [
    { head: 'NAME', value: ({ partner }) => partner.name, shrink: true },
    { head: 'SOURCED', value: ({ sourced_value }) => amount(sourced_value), right: true },
    { head: 'CO-SELL', value: ({ co_sell_value }) => amount(co_sell_value), right: true },
    { head: 'INFLUENCED', value: ({ influenced_value }) => amount(influenced_value), right: true },
    {
      head: 'WIN RATE',
      value: ({ win_rate }) => (win_rate === null ? null : `${win_rate} %`),
      right: true,
    },
    { head: 'OPEN DEALS', value: ({ open_deals }) => formatNumber(open_deals), right: true },
    { head: 'DENSITY', value: (score) => score.co_sell_density_score, right: true, optional: true },
    {
      head: 'SIGNALS',
      value: (score) => formatNumber(score.active_signal_count),
      right: true,
      optional: true,
    },
  ];
  const byCredit = partners.toSorted((a, b) => (b.credited_value ?? 0) - (a.credited_value ?? 0));
  return tableOf(columns, byCredit).join('\n');
}

const columns: Column<Partner>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'NAME', value: ({ name }) => name, shrink: true },
  { head: 'TYPE', value: ({ type }) => inWords(type) },
  { head: 'TIER', value: ({ tier }) => tier, right: true },
];

const overlapColumns: Column<Overlap>[] = [
  { head: 'ACCOUNT', value: ({ account }) => account.name, shrink: true },
  { head: 'THEIR NAME', value: ({ partner_account }) => partner_account.name, shrink: true },
  { head: 'RELATIONSHIP', value: ({ partner_account }) => inWords(partner_account.relationship) },
  { head: 'MATCHED BY', value: ({ matched_by }) => inWords(matched_by) },
  { head: 'KEY', value: ({ key }) => key, shrink: true },
  { head: 'CONFIDENCE', value: ({ confidence }) => confidence, right: true },
  { head: 'MATCHED (UTC)', value: ({ matched_at }) => utc(matched_at), optional: true },
];

function detail(partner: PartnerDetail): string {
  const { co_sold_opportunities, shared_open_opportunities, window_days } = partner.co_sell_density;
  return formatRecord([
    ['partner', partner.id],
    ['name', partner.name],
    ['type', inWords(partner.type)],
    ['tier', partner.tier],
    ['domain', partner.domain],
    ['active signals', partner.active_signal_count],
    [
      'co-sell density',
      `${partner.co_sell_density_score} % (${co_sold_opportunities} of ${shared_open_opportunities} shared open opportunities, last ${window_days} days)`,
    ],
    ['created (UTC)', utc(partner.created_at)],
    ['updated (UTC)', utc(partner.updated_at)],
  ]);
}
