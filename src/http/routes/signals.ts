import { Type } from 'typebox';
import { List, One } from '../../contract/envelope.ts';
import { ApiError, notFound } from '../../contract/error.ts';
import { reference, text } from '../../contract/field.ts';
import { isId } from '../../contract/ids.ts';
import {
  ChangeSignalSchema,
  SignalDetailSchema,
  SignalQuerySchema,
  SignalSchema,
  SignalSummarySchema,
} from '../../contract/signal.ts';
import { changeSignal, readSignal } from '../../domain/signals.ts';
import { snapshot, transaction } from '../../store/connection.ts';
import { countSignals, listSignals, type SignalFilters } from '../../store/signals.ts';
import { signalStates, signalTransitions, signalTypes } from '../../vocabulary.ts';
import { changedBy } from '../actor.ts';
import { envelope, listEnvelope } from '../answer.ts';
import type { Context } from '../context.ts';
import { callerOf, type Router } from '../router.ts';
import { answerSignal, etag, matches } from '../signal-answer.ts';

const tags = ['Signals'];
const read = { access: { plane: 'client', scope: 'read' } } as const;
const tagged = {
  headers: {
    ETag: text('Strong ETag of the signal, for If-Match.', '"47DEQpj8HBSa-_TImW-5JCeuQeR"'),
  },
};
const changeDescription = `Sets the state, adds a note, or both.

| from | you can set |
|---|---|
${signalStates.map((from) => `| ${from} | ${signalTransitions[from].map(({ to, label }) => `${to} (${label.toLowerCase()})`).join(', ') || 'nothing: final'} |`).join('\n')}

Setting the current state changes nothing.`;
const params = Type.Object({ signal_id: reference('signal', 'The signal.') });

export function signalRoutes(app: Router, ctx: Context): void {
  app.get('/v1/signals', {
    config: read,
    schema: {
      operationId: 'listSignals',
      tags,
      summary: 'List signals',
      description: 'Lists signals, newest first.',
      querystring: SignalQuerySchema,
      response: { 200: List(SignalSchema, 'A page of signals.') },
    },
    handler: async (request) => {
      const { org_id } = callerOf(request);
      const filters = toFilters(request.query);
      return listEnvelope(
        ctx,
        request,
        async (limit, after) => (filters ? listSignals(ctx.pool, org_id, filters, limit, after) : []),
        (signal) => [signal.fired_at.toISOString(), signal.id],
      );
    },
  });

  app.get('/v1/signals/summary', {
    config: read,
    schema: {
      operationId: 'getSignalSummary',
      tags,
      summary: 'Count signals',
      description: 'Counts signals by type and state.',
      querystring: Type.Object({}, { additionalProperties: false }),
      response: { 200: One(SignalSummarySchema, 'The counts.') },
    },
    handler: async (request) => {
      const counts = await countSignals(ctx.pool, callerOf(request).org_id);
      const count = (type: string, state: string) =>
        counts.find((row) => row.type === type && row.state === state)?.count ?? 0;
      const by_type = Object.fromEntries(
        signalTypes.map((type) => [
          type,
          Object.fromEntries(signalStates.map((state) => [state, count(type, state)])),
        ]),
      ) as Record<(typeof signalTypes)[number], Record<(typeof signalStates)[number], number>>;
      return envelope(request, { total: counts.reduce((total, row) => total + row.count, 0), by_type });
    },
  });

  app.get('/v1/signals/:signal_id', {
    config: { ...read, honours: ['If-None-Match'] },
    schema: {
      operationId: 'getSignal',
      tags,
      summary: 'Get a signal',
      description:
        "Returns a signal with its history, the reasons why it fired, and the partner's complete activity log on the account.",
      params,
      response: {
        200: One(SignalDetailSchema, 'The signal in full.', tagged),
        304: Type.Null({ description: 'The signal has not changed.', ...tagged }),
      },
    },
    handler: async (request, reply) => {
      const { signal_id } = request.params;
      const signal =
        isId('sig', signal_id) &&
        (await snapshot(ctx.pool, (tx) => readSignal(tx, callerOf(request).org_id, signal_id)));
      if (!signal) throw notFound('signal');
      const tag = etag(signal.head);
      const known = request.headers['if-none-match'];
      // What a weak tag leaves open does not matter to who only reads.
      if (known !== undefined && matches(known.replaceAll('W/"', '"'), tag))
        return reply.code(304).header('ETag', tag).send(null);
      return answerSignal(ctx, request, reply, signal);
    },
  });

  app.patch('/v1/signals/:signal_id', {
    config: {
      access: { plane: 'client', scope: 'write' },
      honours: ['X-Actor', 'If-Match'],
      refuses: ['invalid_transition', 'precondition_failed'],
    },
    schema: {
      operationId: 'changeSignal',
      tags,
      summary: 'Change a signal',
      description: changeDescription,
      params,
      body: ChangeSignalSchema,
      response: {
        200: One(SignalDetailSchema, 'The signal in full.', {
          ...tagged,
          examples: [{ data: { state: 'in_progress' } }],
        }),
      },
    },
    handler: async (request, reply) => {
      const { signal_id } = request.params;
      const { org_id } = callerOf(request);
      if (!isId('sig', signal_id)) throw notFound('signal');
      const by = changedBy(request);
      const expected = request.headers['if-match'];
      const signal = await transaction(ctx.pool, (tx) =>
        changeSignal(tx, org_id, signal_id, request.body, by, (current) => {
          if (expected !== undefined && !matches(expected, etag(current))) {
            throw new ApiError(
              'precondition_failed',
              'The signal has changed since you read it. Reload it and retry if the change still applies.',
            );
          }
        }),
      );
      return answerSignal(ctx, request, reply, signal);
    },
  });
}

/** `null` where a filter names nothing that could exist: an identifier is opaque, so that is no error. */
function toFilters({
  type,
  state,
  partner_id,
  account_id,
}: { [K in keyof SignalFilters]?: string }): SignalFilters | null {
  if (partner_id !== undefined && !isId('prt', partner_id)) return null;
  if (account_id !== undefined && !isId('acc', account_id)) return null;
  return Object.fromEntries(
    Object.entries({ type, state, partner_id, account_id }).filter(([, value]) => value !== undefined),
  ) as SignalFilters;
}
