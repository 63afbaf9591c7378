import type { Static } from 'typebox';
import {
  AttributionDetailSchema,
  AttributionQuerySchema,
  AttributionSchema,
  type AttributionSummary,
  AttributionSummaryQuerySchema,
  AttributionSummarySchema,
  type AttributionTotals,
  amountNames,
  DisputeSchema,
  OpenDisputeSchema,
  ResolveDisputeSchema,
  SimulateSchema,
  SimulationSchema,
} from '../../contract/attribution.ts';
import { List, One } from '../../contract/envelope.ts';
import { ApiError } from '../../contract/error.ts';
import { grants } from '../../contract/key.ts';
import { PartnerSummary } from '../../contract/partner.ts';
import { exampleId } from '../../contract/values/field.ts';
import { utcPeriod } from '../../contract/values/time.ts';
import { totalAttribution } from '../../domain/conversion.ts';
import { openDispute, resolveDispute } from '../../domain/disputes.ts';
import { readAttribution } from '../../domain/explain-credit.ts';
import { simulatePolicy } from '../../domain/simulate.ts';
import { type AttributionFilters, listAttribution } from '../../store/credit/attribution.ts';
import type { KeyOwner } from '../../store/keys/api-keys.ts';
import { changedBy } from '../admission/actor.ts';
import { columnsOf } from '../answers/csv.ts';
import { canMatch } from '../call.ts';
import type { Context } from '../context.ts';
import { admin, read, routeTable, write } from '../route-table.ts';
import { callerOf, type Router } from '../router.ts';

const acceptance = {
  status: 'accepted',
  resolved_by: { key_id: exampleId('key'), key_name: 'Partner operations', actor: 'Tomas Reyl' },
  resolved_at: '2026-03-02T09:30:00.000Z',
  resolution_note: 'The registration is on file.',
};

export function attributionRoutes(app: Router, ctx: Context): void {
  const route = routeTable(app, ctx, 'Attribution');

  route('GET /v1/attribution', 'listAttributionRecords', read, {
    cached: true,
    summary: 'List attribution records',
    description:
      'Lists who was credited for which won deal, latest closing first. Includes reversed records.',
    querystring: AttributionQuerySchema,
    response: { 200: List(AttributionSchema, 'A page of attribution records.') },
    handler: (call) => {
      const filters = toFilters(call.query);
      return call.page(
        async (...page) => (filters ? listAttribution(call.read, call.orgId, filters, ...page) : []),
        (record) => [record.closed_date, record.id],
      );
    },
  });

  route('GET /v1/attribution/summary', 'getAttributionSummary', read, {
    cached: true,
    summary: 'Total the credit',
    description:
      'Totals active records by partner, tier and month: number of deals, their value counted once (net) and once per record (gross), and what the records credit. Currencies are never added up; if the settings have a reporting currency, `converted` has the same totals in it.',
    querystring: AttributionSummaryQuerySchema,
    response: { 200: One(AttributionSummarySchema, 'The totals.') },
    csv: { columns: summaryColumns, rows: summaryRows },
    handler: async (call) => {
      const filters = toFilters(call.query);
      // Matches nothing, because no partner has this ID.
      const nobody = { partner_id: call.orgId } as unknown as AttributionFilters;
      return call.one(await call.report((db) => totalAttribution(db, call.orgId, filters ?? nobody)));
    },
  });

  route('GET /v1/attribution/:record_id', 'getAttributionRecord', read, {
    cached: true,
    summary: 'Get an attribution record',
    description:
      'Returns a record with its dispute history and every piece of evidence: whether it counts, and why.',
    response: { 200: One(AttributionDetailSchema, 'The record in full.') },
    handler: async (call) => {
      const { record_id } = call.ids;
      return call.one(await call.report((db) => readAttribution(db, call.orgId, record_id)));
    },
  });

  route('POST /v1/attribution/simulate', 'simulateAttribution', admin, {
    summary: 'Simulate a policy',
    description:
      'Shows what a policy would change for the won deals of a period: records and value by tier, before and after, and the records that would change. Nothing is saved.',
    body: SimulateSchema,
    response: { 200: One(SimulationSchema, 'What would change.') },
    handler: async (call) => {
      const { policy } = call.body;
      const period = utcPeriod(call.body);
      // Before the transaction of the response, not inside it: requests that hold a connection while they wait for another
      // could block each other.
      const simulation = await call.report((db) => simulatePolicy(db, call.orgId, policy, period));
      return call.post(200, async () => simulation);
    },
  });

  route('POST /v1/attribution/:record_id/disputes', 'openDispute', write, {
    summary: 'Open a dispute',
    description: 'Claims a different tier for a record. A record can have one open dispute at a time.',
    body: OpenDisputeSchema,
    response: { 201: One(DisputeSchema, 'The open dispute.') },
    config: { honours: ['X-Actor'], refuses: ['dispute_already_open'] },
    handler: async (call) => {
      const { record_id } = call.ids;
      const by = changedBy(call.request);
      return call.postFacts(201, (tx) => openDispute(tx, call.orgId, record_id, call.body, by));
    },
  });

  route('PATCH /v1/attribution/:record_id/disputes/:dispute_id', 'resolveDispute', write, {
    summary: 'Resolve a dispute',
    description:
      '`accepted` sets the record to the claimed tier and protects it from later recalculation. If the tier is `sourced` and another partner has it, that partner gets its next tier. `accepted` and `rejected` require the scope `admin` and a different key from the one that opened the dispute; `withdrawn` requires `write`.',
    body: ResolveDisputeSchema,
    response: {
      200: One(DisputeSchema, 'The resolved dispute.', { examples: [{ data: acceptance }] }),
    },
    config: { honours: ['X-Actor'], refuses: ['dispute_closed', 'sourced_taken'] },
    handler: async (call) => {
      if (call.body.status !== 'withdrawn') requireAdmin(callerOf(call.request));
      const { record_id, dispute_id } = call.ids;
      const by = changedBy(call.request);
      return call.one(
        await call.facts((tx) => resolveDispute(tx, call.orgId, record_id, dispute_id, call.body, by)),
      );
    },
  });
}

const summaryColumns = [
  ...['by', 'converted', ...columnsOf({ properties: { partner: PartnerSummary } })],
  ...['tier', 'month', ...amountNames],
];

/** Every total of a summary; converted ones are marked. */
function summaryRows({ converted, ...byCurrency }: AttributionSummary): object[] {
  const rows = (totals: AttributionTotals, isConverted: boolean) =>
    Object.entries({
      all: totals.totals,
      partner: totals.by_partner,
      tier: totals.by_tier,
      month: totals.by_month,
      tier_and_month: totals.by_tier_and_month,
    }).flatMap(([by, group]) => group.map((row) => ({ by, converted: isConverted, ...row })));
  return [...rows(byCurrency, false), ...(converted ? rows(converted, true) : [])];
}

function requireAdmin({ scopes }: KeyOwner): void {
  if (grants(scopes, 'admin')) return;
  throw new ApiError(
    'forbidden',
    `Accepting or rejecting a dispute requires the scope "admin"; your key has: ${scopes.join(', ')}.`,
  );
}

/** `null` if a filter contains an impossible identifier. */
function toFilters(query: Static<typeof AttributionSummaryQuerySchema>): AttributionFilters | null {
  if (!canMatch<AttributionFilters>(query)) return null;
  const { partner_id, account_id, opportunity_id, tier } = query;
  const filters = { partner_id, account_id, opportunity_id, tier, ...utcPeriod(query) };
  return Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== undefined),
  ) as AttributionFilters;
}
