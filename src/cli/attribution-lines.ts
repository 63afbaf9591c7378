import type {
  AttributionRecord,
  AttributionRecordDetail,
  AttributionSimulation,
  AttributionSummary,
  Dispute,
} from '../client/types.ts';
import { screen } from './output.ts';
import { type Column, createTable, formatRecord } from './table.ts';
import { amount, utc } from './values.ts';

export const columns: Column<AttributionRecord>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'TIER', value: ({ tier }) => tier },
  {
    head: 'STATUS',
    value: ({ status }) => status,
    style: ({ status }) => (status === 'reversed' ? 'dim' : undefined),
  },
  { head: 'PARTNER', value: ({ partner }) => partner.name, shrink: true },
  { head: 'ACCOUNT', value: ({ account }) => account.name, shrink: true },
  { head: 'VALUE', value: ({ opportunity }) => amount(opportunity.value), right: true, optional: true },
  { head: 'CLOSED', value: ({ closed_date }) => closed_date, optional: true },
  {
    head: 'DISPUTE',
    value: ({ dispute_status }) => dispute_status,
    style: ({ dispute_status }) => (dispute_status === 'open' ? 'yellow' : undefined),
    optional: true,
  },
];

export function recordLines(record: AttributionRecordDetail): string {
  const { partner, account, opportunity } = record;
  const evidence = createTable<AttributionRecordDetail['evidence_log'][number]>(
    [
      { head: 'WHEN (UTC)', value: ({ occurred_at }) => utc(occurred_at) },
      { head: 'KIND', value: ({ kind }) => kind },
      { head: 'SUPPORTS', value: ({ tier_supported }) => tier_supported },
      {
        head: 'COUNTS',
        value: ({ counted }) => (counted ? 'yes' : 'no'),
        style: ({ counted }) => (counted ? 'green' : 'dim'),
      },
      { head: 'WHAT', value: ({ summary }) => summary, shrink: true },
      { head: 'WHY', value: ({ reason }) => reason, shrink: true },
    ],
    screen(),
  );
  return [
    formatRecord([
      ['record', record.id],
      ['tier', record.tier],
      ['status', record.status],
      ['partner', `${partner.name} (${partner.type}, ${partner.id})`],
      ['account', `${account.name} (${account.crm_id}, ${account.id})`],
      ['opportunity', `${opportunity.name}, ${amount(opportunity.value)}, ${opportunity.stage}`],
      ['closed', record.closed_date],
      ['dispute', record.dispute_status],
      ['policy version', record.policy_version],
    ]),
    ...(record.evidence_log.length > 0 ? ['', ...evidence(record.evidence_log)] : []),
    ...record.dispute_history.flatMap((dispute) => ['', disputeLines(dispute)]),
  ].join('\n');
}

export function disputeLines(dispute: Dispute): string {
  const by = dispute.opened_by;
  return formatRecord([
    ['dispute', dispute.id],
    ['record', dispute.record_id],
    ['status', dispute.status],
    ['claimed tier', `${dispute.claimed_tier}, instead of ${dispute.tier_at_opening}`],
    ['justification', dispute.justification],
    ['opened, UTC', `${utc(dispute.opened_at)} by ${by.actor ?? by.key_name}`],
    ['resolved, UTC', utc(dispute.resolved_at)],
    ['resolution', dispute.resolution_note],
  ]);
}

type Sum = { what: string } & AttributionSummary['totals'][number];

export function summaryLines({ totals, by_partner, by_tier, by_month }: AttributionSummary): string {
  const parts: [head: string, rows: Sum[]][] = [
    ['TOTAL', totals.map((row) => ({ what: 'all', ...row }))],
    ['TIER', by_tier.map((row) => ({ what: row.tier, ...row }))],
    ['PARTNER', by_partner.map((row) => ({ what: row.partner.name, ...row }))],
    ['MONTH', by_month.map((row) => ({ what: row.month, ...row }))],
  ];
  return parts
    .map(([head, rows]) =>
      createTable<Sum>(
        [
          { head, value: ({ what }) => what, shrink: true },
          { head: 'CURRENCY', value: ({ currency }) => currency },
          { head: 'DEALS', value: ({ deals }) => amount(deals), right: true },
          { head: 'CREDITS', value: ({ credits }) => amount(credits), right: true },
          { head: 'VALUE', value: ({ net_value }) => amount(net_value), right: true },
          { head: 'AS CREDITED', value: ({ gross_value }) => amount(gross_value), right: true },
        ],
        screen(),
      )(rows).join('\n'),
    )
    .join('\n\n');
}

export function simulationLines({ deals, changed, changes: rows }: AttributionSimulation): string {
  const table = createTable<AttributionSimulation['changes'][number]>(
    [
      { head: 'CLOSED', value: ({ closed_date }) => closed_date },
      { head: 'PARTNER', value: ({ partner }) => partner.name, shrink: true },
      { head: 'OPPORTUNITY', value: ({ opportunity }) => opportunity.name, shrink: true },
      { head: 'VALUE', value: ({ opportunity }) => amount(opportunity.value), right: true },
      { head: 'BEFORE', value: ({ tier_before }) => tier_before ?? 'none' },
      { head: 'AFTER', value: ({ tier_after }) => tier_after ?? 'none' },
    ],
    screen(),
  );
  const verdict = formatRecord([
    ['deals', amount(deals)],
    ['records that would differ', amount(changed)],
  ]);
  return [verdict, ...(rows.length > 0 ? ['', ...table(rows)] : [])].join('\n');
}
