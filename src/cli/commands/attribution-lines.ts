import type {
  AttributionRecord,
  AttributionRecordDetail,
  AttributionSimulation,
  AttributionSummary,
  Dispute,
  OpportunityDetail,
} from '../../client/types.ts';
import { tableBelow, tableOf } from '../terminal/output.ts';
import { type Column, formatRecord } from '../terminal/table.ts';
import { amount, counted, formatNumber, money, opportunityValue, utc } from '../terminal/values.ts';
import { inWords, opportunityFields } from '../terminal/words.ts';
import { opportunityLines } from './accounts.ts';

export const recordColumns: Column<AttributionRecord>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'TIER', value: ({ tier }) => inWords(tier) },
  {
    head: 'STATUS',
    value: ({ status }) => status,
    style: ({ status }) => (status === 'reversed' ? 'dim' : undefined),
  },
  { head: 'PARTNER', value: ({ partner }) => partner.name, shrink: true },
  { head: 'ACCOUNT', value: ({ account }) => account.name, shrink: true },
  { head: 'VALUE', value: ({ opportunity }) => opportunityValue(opportunity), right: true, optional: true },
  {
    head: 'CREDITED',
    value: ({ credited_value, opportunity }) => money(credited_value, opportunity.currency),
    right: true,
    optional: true,
  },
  { head: 'CLOSED', value: ({ closed_date }) => closed_date, optional: true },
  {
    head: 'DISPUTE',
    value: ({ dispute_status }) => dispute_status,
    style: ({ dispute_status }) => (dispute_status === 'open' ? 'yellow' : undefined),
    optional: true,
  },
];

const evidenceColumns: Column<AttributionRecordDetail['evidence_log'][number]>[] = [
  { head: 'WHEN (UTC)', value: ({ occurred_at }) => utc(occurred_at) },
  { head: 'KIND', value: ({ kind }) => inWords(kind) },
  { head: 'SUPPORTS', value: ({ tier_supported }) => inWords(tier_supported) },
  {
    head: 'COUNTS',
    value: ({ counted }) => (counted ? 'yes' : 'no'),
    style: ({ counted }) => (counted ? 'green' : 'dim'),
  },
  { head: 'WHAT', value: ({ summary }) => summary, shrink: true },
  { head: 'WHY', value: ({ reason }) => reason, shrink: true },
];

export function recordLines(record: AttributionRecordDetail): string {
  return [
    formatRecord([
      ['record', record.id],
      ['tier', inWords(record.tier)],
      ['status', record.status],
      ...opportunityFields(record),
      ['credited', money(record.credited_value, record.opportunity.currency)],
      ['closed', record.closed_date],
      ['dispute', record.dispute_status],
      ['settings version', record.settings_version],
    ]),
    ...tableBelow(evidenceColumns, record.evidence_log),
    ...record.dispute_history.flatMap((dispute) => ['', disputeLines(dispute)]),
  ].join('\n');
}

type OpportunityCredit = { deal: OpportunityDetail; records: AttributionRecord[] };

export function opportunityCreditLines({ deal: opportunity, records }: OpportunityCredit): string {
  const shares: Column<AttributionRecord>[] = [
    { head: 'PARTNER', value: ({ partner }) => partner.name, shrink: true },
    { head: 'TIER', value: ({ tier }) => inWords(tier) },
    { head: 'STATUS', value: ({ status }) => status },
    {
      head: 'CREDITED',
      value: ({ credited_value }) => money(credited_value, opportunity.currency),
      right: true,
    },
    { head: 'DISPUTE', value: ({ dispute_status }) => dispute_status, optional: true },
    { head: 'RECORD', value: ({ id }) => id, optional: true },
  ];
  return [
    opportunityLines(opportunity),
    ...(records.length > 0 ? tableBelow(shares, records) : ['', 'No partner is credited for this deal.']),
  ].join('\n');
}

export function disputeLines(dispute: Dispute): string {
  const by = dispute.opened_by;
  return formatRecord([
    ['dispute', dispute.id],
    ['record', dispute.record_id],
    ['status', dispute.status],
    ['claimed tier', `${inWords(dispute.claimed_tier)} instead of ${inWords(dispute.tier_at_opening)}`],
    ['justification', dispute.justification],
    ['opened (UTC)', `${utc(dispute.opened_at)} by ${by.actor ?? by.key_name}`],
    ['resolved (UTC)', utc(dispute.resolved_at)],
    ['note', dispute.resolution_note],
  ]);
}

type Sum = { what: string } & AttributionSummary['totals'][number];

export function summaryLines({ converted, ...byCurrency }: AttributionSummary): string {
  if (!converted) return totalTables(byCurrency).join('\n\n');
  const { unconverted } = converted;
  return [
    ...totalTables(byCurrency),
    `Converted to ${converted.currency} at the exchange rates of the closing dates:`,
    ...totalTables(converted),
    ...(unconverted.length > 0 ? [unconvertedLines(unconverted)] : []),
  ].join('\n\n');
}

type Totals = Omit<AttributionSummary, 'converted'>;

function totalTables({ totals, by_partner, by_tier, by_month }: Totals): string[] {
  const parts: [head: string, rows: Sum[]][] = [
    ['TOTAL', totals.map((row) => ({ what: 'all', ...row }))],
    ['TIER', by_tier.map((row) => ({ what: inWords(row.tier), ...row }))],
    ['PARTNER', by_partner.map((row) => ({ what: row.partner.name, ...row }))],
    ['MONTH', by_month.map((row) => ({ what: row.month, ...row }))],
  ];
  return parts.map(([head, rows]) =>
    tableOf([{ head, value: ({ what }) => what, shrink: true }, ...sumColumns], rows).join('\n'),
  );
}

const sumColumns: Column<Sum>[] = [
  { head: 'CURRENCY', value: ({ currency }) => currency ?? 'no currency' },
  { head: 'DEALS', value: ({ deals }) => formatNumber(deals), right: true },
  { head: 'CREDITS', value: ({ credits }) => formatNumber(credits), right: true },
  { head: 'NET VALUE', value: ({ net_value, currency }) => amount(net_value, currency), right: true },
  { head: 'GROSS VALUE', value: ({ gross_value, currency }) => amount(gross_value, currency), right: true },
  {
    head: 'CREDITED',
    value: ({ credited_value, currency }) => amount(credited_value, currency),
    right: true,
  },
];

function unconvertedLines(unconverted: NonNullable<AttributionSummary['converted']>['unconverted']): string {
  const deals = unconverted.reduce((sum, row) => sum + row.deals, 0);
  return [
    `Not converted, because there is no exchange rate: ${counted(deals, 'deal')}.`,
    ...tableOf(
      [
        { head: 'CLOSED', value: ({ closed_date }) => closed_date },
        { head: 'CURRENCY', value: ({ currency }) => currency ?? 'no currency' },
        { head: 'DEALS', value: (row) => formatNumber(row.deals), right: true },
        { head: 'VALUE', value: ({ net_value, currency }) => amount(net_value, currency), right: true },
      ],
      unconverted.slice(0, 20),
    ),
  ].join('\n');
}

const changeColumns: Column<AttributionSimulation['changes'][number]>[] = [
  { head: 'CLOSED', value: ({ closed_date }) => closed_date },
  { head: 'PARTNER', value: ({ partner }) => partner.name, shrink: true },
  { head: 'OPPORTUNITY', value: ({ opportunity }) => opportunity.name, shrink: true },
  { head: 'VALUE', value: ({ opportunity }) => opportunityValue(opportunity), right: true },
  { head: 'BEFORE', value: ({ tier_before }) => inWords(tier_before) || 'none' },
  { head: 'AFTER', value: ({ tier_after }) => inWords(tier_after) || 'none' },
  {
    head: 'CREDITED BEFORE',
    value: ({ credited_value_before, opportunity }) => amount(credited_value_before, opportunity.currency),
    right: true,
    optional: true,
  },
  {
    head: 'CREDITED AFTER',
    value: ({ credited_value_after, opportunity }) => amount(credited_value_after, opportunity.currency),
    right: true,
    optional: true,
  },
];

export function simulationLines({ deals, changed, changes }: AttributionSimulation): string {
  const verdict = formatRecord([
    ['deals', formatNumber(deals)],
    ['records that would change', formatNumber(changed)],
  ]);
  return [verdict, ...tableBelow(changeColumns, changes)].join('\n');
}
