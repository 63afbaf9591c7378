import { Type } from 'typebox';
import { List, One } from '../../contract/envelope.ts';
import { PartnerSummary } from '../../contract/partner.ts';
import { type Performance, PerformanceQuerySchema, PerformanceSchema } from '../../contract/performance.ts';
import {
  ChangeSignalSchema,
  ChangeSignalsSchema,
  SignalDetailSchema,
  SignalOutcomesSchema,
  SignalQuerySchema,
  SignalSchema,
  SignalSummarySchema,
} from '../../contract/signal.ts';
import { text } from '../../contract/values/field.ts';
import { readPerformance } from '../../domain/performance.ts';
import { searched } from '../../domain/search.ts';
import { changeSignal, changeSignals } from '../../domain/signals.ts';
import { emptyJsonPage } from '../../store/db/json-page.ts';
import { countSignals } from '../../store/signals/signal-counts.ts';
import {
  findSignal,
  listSignalsJson,
  readSignal,
  type SignalHead,
} from '../../store/signals/signal-items.ts';
import { type SignalFilters, signalPosition } from '../../store/signals/signal-page.ts';
import {
  batchLimit,
  dismissReasons,
  restoredState,
  signalStates,
  signalTransitions,
  signalTypes,
} from '../../vocabulary.ts';
import { changedBy } from '../admission/actor.ts';
import { matches, requireMatch } from '../admission/if-match.ts';
import { columnsOf } from '../answers/csv.ts';
import { answerSignal, etag } from '../answers/signal-answer.ts';
import { canMatch } from '../call.ts';
import type { Context } from '../context.ts';
import { read, routeTable, write } from '../route-table.ts';
import type { Router } from '../router.ts';

const tagged = {
  headers: {
    ETag: text('Strong ETag of the signal, for If-Match.', '"47DEQpj8HBSa-_TImW-5JCeuQeR"'),
  },
};
const changeDescription = `Sets the state, assigns the signal or adds a note.

| from | you can set |
|---|---|
${signalStates.map((from) => `| ${from} | ${signalTransitions[from].map(({ to, label }) => `${to} (${label.toLowerCase()})`).join(', ') || `${restoredState} (restore), only if somebody dismissed it`} |`).join('\n')}

Setting the current state changes nothing. Restoring a dismissed signal fails if its deal is closed, its time is up, or an equal signal \
is active. A signal that the service itself ended is final.`;

export function signalRoutes(app: Router, ctx: Context): void {
  const route = routeTable(app, ctx, 'Signals');

  route('GET /v1/signals', 'listSignals', read, {
    cached: true,
    summary: 'List signals',
    description: 'Lists signals, newest first or by priority.',
    querystring: SignalQuerySchema,
    response: { 200: List(SignalSchema, 'A page of signals.') },
    handler: (call) => {
      const { query, orgId } = call;
      const search = searched(query);
      return call.textPage(
        async (...page) =>
          canMatch<SignalFilters>(query)
            ? listSignalsJson(call.read, orgId, { ...query, ...search }, ...page)
            : emptyJsonPage,
        readSignal,
        (signal) => signalPosition(signal, query),
      );
    },
  });

  route('GET /v1/signals/summary', 'getSignalSummary', read, {
    cached: true,
    summary: 'Count signals',
    description: 'Counts signals by type and state.',
    response: { 200: One(SignalSummarySchema, 'The counts.') },
    csv: {
      columns: ['type', 'state', 'count'],
      rows: ({ by_type }) =>
        signalTypes.flatMap((type) =>
          signalStates.map((state) => ({ type, state, count: by_type[type][state] })),
        ),
    },
    handler: async (call) => call.one(toSummary(await call.report((db) => countSignals(db, call.orgId)))),
  });

  route('GET /v1/signals/performance', 'getSignalPerformance', read, {
    cached: true,
    summary: 'Measure the results of signals',
    description:
      'Shows what happened to the signals that fired in a period, by type and by partner: started, handled, dismissed and why, expired untouched, and how their deals ended.',
    querystring: PerformanceQuerySchema,
    response: { 200: One(PerformanceSchema, 'The outcome of the signals.') },
    csv: { columns: performanceColumns, rows: performanceRows },
    handler: async (call) =>
      call.one(await call.report((db) => readPerformance(db, call.orgId, call.query, new Date()))),
  });

  route('GET /v1/signals/:signal_id', 'getSignal', read, {
    cached: true,
    summary: 'Get a signal',
    description:
      "Returns a signal with its history, the reasons why it fired, and the partner's complete activity log on the account.",
    response: {
      200: One(SignalDetailSchema, 'The signal in full.', tagged),
      304: Type.Null({ description: 'The signal has not changed.', ...tagged }),
    },
    config: { honours: ['If-None-Match'] },
    handler: async (call) => {
      const { request, reply, orgId } = call;
      const { signal_id } = call.ids;
      const signal = call.found(await findSignal(call.read, orgId, signal_id));
      const tag = etag(signal.head);
      const known = request.headers['if-none-match'];
      // For a read, a weak tag is good enough.
      if (known !== undefined && matches(known.replaceAll('W/"', '"'), tag))
        return reply.code(304).header('ETag', tag).send(null);
      return answerSignal(ctx, request, reply, signal, tag);
    },
  });

  route('POST /v1/signals/batch', 'changeSignals', write, {
    summary: 'Change several signals',
    description: `Changes up to ${batchLimit} signals, each like a PATCH. Each change is applied or refused separately.`,
    body: ChangeSignalsSchema,
    response: { 200: One(SignalOutcomesSchema, 'The outcome of each change.') },
    config: { honours: ['X-Actor'] },
    handler: async (call) => {
      const { orgId, body } = call;
      const by = changedBy(call.request);
      return call.post(200, (tx) => changeSignals(tx, orgId, body.items, by));
    },
  });

  route('PATCH /v1/signals/:signal_id', 'changeSignal', write, {
    summary: 'Change a signal',
    description: changeDescription,
    body: ChangeSignalSchema,
    response: {
      200: One(SignalDetailSchema, 'The signal in full.', {
        ...tagged,
        examples: [{ data: { state: 'in_progress' } }],
      }),
    },
    config: { honours: ['X-Actor', 'If-Match'], refuses: ['invalid_transition', 'precondition_failed'] },
    handler: async (call) => {
      const { request, reply, orgId, body } = call;
      const { signal_id } = call.ids;
      const by = changedBy(request);
      const check = expecting(request.headers['if-match']);
      const signal = await call.write((tx) => changeSignal(tx, orgId, signal_id, body, by, check));
      return answerSignal(ctx, request, reply, signal);
    },
  });
}

const outcomes = ['with_handled', 'without_handled'] as const;
const performanceColumns = [
  ...['by', 'type', ...columnsOf({ properties: { partner: PartnerSummary } })],
  ...['fired', 'active', 'taken_up', 'handled', 'dismissed'],
  ...[...dismissReasons, 'no_reason'].map((reason) => `dismissed_by_reason.${reason}`),
  ...['expired_untouched', 'median_hours_to_first_action', 'currency'],
  ...outcomes.flatMap((outcome) =>
    ['open', 'won', 'lost', 'converted_won_value'].map((name) => `deals.${outcome}.${name}`),
  ),
];

function performanceRows({ currency, total, by_type, by_partner }: Performance): object[] {
  return [
    { by: 'all', currency, ...total },
    ...by_type.map((row) => ({ by: 'type', currency, ...row })),
    ...by_partner.map((row) => ({ by: 'partner', currency, ...row })),
  ];
}

function expecting(tags: string | undefined): (current: SignalHead) => void {
  return (current) => {
    if (tags !== undefined)
      requireMatch(tags, etag(current), 'The signal has changed since you read it. Reload it');
  };
}

function toSummary(counts: Awaited<ReturnType<typeof countSignals>>) {
  const count = (type: string, state: string) =>
    counts.find((row) => row.type === type && row.state === state)?.count ?? 0;
  const by_type = Object.fromEntries(
    signalTypes.map((type) => [
      type,
      Object.fromEntries(signalStates.map((state) => [state, count(type, state)])),
    ]),
  ) as Record<(typeof signalTypes)[number], Record<(typeof signalStates)[number], number>>;
  return { total: counts.reduce((total, row) => total + row.count, 0), by_type };
}
