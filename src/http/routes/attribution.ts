import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  AttributionDetailSchema,
  AttributionQuerySchema,
  AttributionSchema,
  AttributionSummaryQuerySchema,
  AttributionSummarySchema,
  DisputeSchema,
  OpenDisputeSchema,
  ResolveDisputeSchema,
  SimulateSchema,
  SimulationSchema,
} from '../../contract/attribution.ts';
import { List, One } from '../../contract/envelope.ts';
import { ApiError, notFound } from '../../contract/error.ts';
import { exampleId, reference } from '../../contract/field.ts';
import { type AttributionId, isId, type OrganizationId } from '../../contract/ids.ts';
import { grants } from '../../contract/key.ts';
import { openDispute, resolveDispute } from '../../domain/disputes.ts';
import { simulatePolicy } from '../../domain/simulate.ts';
import { type AttributionFilters, findAttributionItems, listAttribution } from '../../store/attribution.ts';
import { summarizeAttribution } from '../../store/attribution-summary.ts';
import { type Queryable, snapshot, transaction } from '../../store/connection.ts';
import { listDisputes } from '../../store/disputes.ts';
import { listEvidence } from '../../store/evidence.ts';
import { changedBy } from '../actor.ts';
import { answerPost, envelope, listEnvelope } from '../answer.ts';
import type { Context } from '../context.ts';
import { callerOf, type Router } from '../router.ts';

const tags = ['Attribution'];
const read = { access: { plane: 'client', scope: 'read' } } as const;
const write = { access: { plane: 'client', scope: 'write' } } as const;
const admin = { access: { plane: 'client', scope: 'admin' } } as const;
const acceptance = {
  status: 'accepted',
  resolved_by: { key_id: exampleId('key'), key_name: 'Partner operations', actor: 'Tomas Reyl' },
  resolved_at: '2026-03-02T09:30:00.000Z',
  resolution_note: 'The registration is on file.',
};
const params = Type.Object({ record_id: reference('attribution', 'The attribution record.') });

export function attributionRoutes(app: Router, ctx: Context): void {
  const batch = { ...ctx, pool: ctx.batchPool };

  app.get('/v1/attribution', {
    config: read,
    schema: {
      operationId: 'listAttributionRecords',
      tags,
      summary: 'List attribution records',
      description:
        'Lists who was credited for which won deal, latest closing first. Includes reversed records.',
      querystring: AttributionQuerySchema,
      response: { 200: List(AttributionSchema, 'A page of attribution records.') },
    },
    handler: async (request) => {
      const { org_id } = callerOf(request);
      const filters = toFilters(request.query);
      return listEnvelope(
        ctx,
        request,
        async (limit, after) => (filters ? listAttribution(ctx.pool, org_id, filters, limit, after) : []),
        (record) => [record.closed_date, record.id],
      );
    },
  });

  app.get('/v1/attribution/summary', {
    config: read,
    schema: {
      operationId: 'getAttributionSummary',
      tags,
      summary: 'Total the credit',
      description:
        'Totals active records by partner, tier and month: number of deals, their value counted once (net) and as credited (gross). Currencies are never added up.',
      querystring: AttributionSummaryQuerySchema,
      response: { 200: One(AttributionSummarySchema, 'The totals.') },
    },
    handler: async (request) => {
      const filters = toFilters(request.query);
      const empty = { totals: [], by_partner: [], by_tier: [], by_month: [] };
      return envelope(
        request,
        filters ? await summarizeAttribution(ctx.pool, callerOf(request).org_id, filters) : empty,
      );
    },
  });

  app.get('/v1/attribution/:record_id', {
    config: read,
    schema: {
      operationId: 'getAttributionRecord',
      tags,
      summary: 'Get an attribution record',
      description:
        'Returns a record with its dispute history and every piece of evidence: whether it counts, and why.',
      params,
      response: { 200: One(AttributionDetailSchema, 'The record in full.') },
    },
    handler: async (request) => {
      const { record_id } = request.params;
      const { org_id } = callerOf(request);
      const record =
        isId('atr', record_id) && (await snapshot(ctx.pool, (db) => readAttribution(db, org_id, record_id)));
      if (!record) throw notFound('attribution record');
      return envelope(request, record);
    },
  });

  app.post('/v1/attribution/simulate', {
    config: { ...admin, takesTurns: true },
    schema: {
      operationId: 'simulateAttribution',
      tags,
      summary: 'Simulate a policy',
      description:
        'Shows what a policy would change for the won deals of a period: records and value by tier, before and after, and the records that would change. Nothing is saved.',
      body: SimulateSchema,
      response: {
        200: One(SimulationSchema, 'What would change.'),
      },
    },
    handler: async (request, reply) => {
      const { policy, closed_after, closed_before } = request.body;
      const period = { closed_after: day(closed_after) ?? null, closed_before: day(closed_before) ?? null };
      // Before the answer's own transaction, not inside it: requests that hold a connection while they wait for another
      // would block each other.
      const { org_id } = callerOf(request);
      const simulation = await ctx.turns(org_id, () =>
        snapshot(ctx.batchPool, (tx) => simulatePolicy(tx, org_id, policy, period)),
      );
      return answerPost(ctx, request, reply, 200, async () => simulation);
    },
  });

  app.post('/v1/attribution/:record_id/disputes', {
    config: { ...write, takesTurns: true, honours: ['X-Actor'], refuses: ['dispute_already_open'] },
    schema: {
      operationId: 'openDispute',
      tags,
      summary: 'Open a dispute',
      description: 'Claims a different tier for a record. A record can have one open dispute at a time.',
      params,
      body: OpenDisputeSchema,
      response: {
        201: One(DisputeSchema, 'The open dispute.'),
      },
    },
    handler: async (request, reply) => {
      await ctx.turns(callerOf(request).org_id, () =>
        answerPost(batch, request, reply, 201, async (tx) => {
          const { record_id } = request.params;
          if (!isId('atr', record_id)) throw notFound('attribution record');
          return openDispute(tx, callerOf(request).org_id, record_id, request.body, changedBy(request));
        }),
      );
      ctx.hint();
    },
  });

  app.patch('/v1/attribution/:record_id/disputes/:dispute_id', {
    config: {
      ...write,
      takesTurns: true,
      honours: ['X-Actor'],
      refuses: ['dispute_closed', 'sourced_taken'],
    },
    schema: {
      operationId: 'resolveDispute',
      tags,
      summary: 'Resolve a dispute',
      description:
        '`accepted` sets the record to the claimed tier and protects it from later recalculation. If the tier is `sourced` and another partner holds it, that partner falls to its next tier. `accepted` and `rejected` require the scope `admin` and a different key from the one that opened the dispute; `withdrawn` requires `write`.',
      params: Type.Object({
        record_id: reference('attribution', 'The attribution record.'),
        dispute_id: reference('dispute', 'A dispute of the record.'),
      }),
      body: ResolveDisputeSchema,
      response: {
        200: One(DisputeSchema, 'The resolved dispute.', { examples: [{ data: acceptance }] }),
      },
    },
    handler: async (request) => {
      const { record_id, dispute_id } = request.params;
      const { org_id, scopes } = callerOf(request);
      if (request.body.status !== 'withdrawn' && !grants(scopes, 'admin')) {
        throw new ApiError(
          'forbidden',
          `Accepting or rejecting a dispute requires the scope "admin"; your key has: ${scopes.join(', ')}.`,
        );
      }
      if (!isId('atr', record_id)) throw notFound('attribution record');
      if (!isId('dsp', dispute_id)) throw notFound('dispute');
      const by = changedBy(request);
      const dispute = await ctx.turns(org_id, () =>
        transaction(ctx.batchPool, (tx) =>
          resolveDispute(tx, org_id, record_id, dispute_id, request.body, by),
        ),
      );
      ctx.hint();
      return envelope(request, dispute);
    },
  });
}

type Query = FastifyRequest['query'] & {
  partner_id?: string;
  tier?: AttributionFilters['tier'];
  closed_after?: string;
  closed_before?: string;
};

async function readAttribution(db: Queryable, orgId: OrganizationId, id: AttributionId) {
  const [record] = await findAttributionItems(db, orgId, [id]);
  if (!record) return undefined;
  const evidence_log = await listEvidence(db, orgId, id);
  return { ...record, evidence_log, dispute_history: await listDisputes(db, orgId, id) };
}

/** `null` where a filter names nothing that could exist: an identifier is opaque, so that is no error. */
function toFilters({ partner_id, tier, closed_after, closed_before }: Query): AttributionFilters | null {
  if (partner_id !== undefined && !isId('prt', partner_id)) return null;
  const filters = { partner_id, tier, closed_after: day(closed_after), closed_before: day(closed_before) };
  return Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== undefined),
  ) as AttributionFilters;
}

/** The UTC date of a date or a timestamp. */
function day(text: string | undefined): string | undefined {
  return text === undefined ? undefined : new Date(text).toISOString().slice(0, 10);
}
