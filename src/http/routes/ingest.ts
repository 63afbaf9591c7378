import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { One, strictObject } from '../../contract/envelope.ts';
import { ApiError, unavailable } from '../../contract/error.ts';
import { IngestResultSchema, maxListedErrors, rowSchemas } from '../../contract/ingest.ts';
import { type IngestResult, ingest, type RowError } from '../../domain/ingest/ingest.ts';
import type { FactsTx } from '../../store/db/tx.ts';
import { bodyLimits, type FactKind, factKinds } from '../../vocabulary.ts';
import type { Access } from '../admission/admit.ts';
import { holdingRoom } from '../admission/in-flight.ts';
import { compileValidator } from '../admission/validation.ts';
import { unsupportedMediaType } from '../answers/errors.ts';
import type { Call } from '../call.ts';
import type { Context } from '../context.ts';
import { nextSlice } from '../ingest/cpu-slice.ts';
import { CheckedRows, weighBatch } from '../ingest/ingest-rows.ts';
import { readArray } from '../ingest/json-rows.ts';
import { readLines } from '../ingest/ndjson.ts';
import { routeTable } from '../route-table.ts';
import { callerOf, type Router } from '../router.ts';

const maxRows = bodyLimits.rows;
/** What of a stream is committed together: so many lines, or so many bytes. */
const chunkLines = 1_000;
const chunkBytes = 2 * 1024 * 1024;
/** Whatever its length: a chunk that is written and the one that arrives meanwhile, with their errors and those before. */
const streamWeight = 16 * 1024 * 1024;
const ndjson = 'application/x-ndjson';
const access: Access = { plane: 'ingest', scope: 'ingest' };
const IngestQuerySchema = strictObject({
  backfill: Type.Optional(
    Type.Boolean({
      description: 'For an initial load: events are recorded, but not delivered to webhooks.',
      examples: [true],
    }),
  ),
  merge: Type.Optional(
    Type.Boolean({
      description:
        'Rows change records instead of replacing them: a field that is absent keeps its value, null clears it. A record that does not exist yet needs all its fields.',
      examples: [false],
    }),
  ),
});
type IngestQuery = Static<typeof IngestQuerySchema>;

export function ingestRoutes(app: Router, ctx: Context): void {
  // The stream is read by the handler, chunk by chunk: here it is only let through.
  app.addContentTypeParser(ndjson, (request, payload, done) => {
    const takes = request.routeOptions.config.access?.plane === 'ingest';
    done(takes ? null : unsupportedMediaType(request), payload);
  });

  const route = routeTable(app, ctx, 'Ingest');
  for (const kind of factKinds) {
    const what = kind.replace('_', ' ');
    const operationId = `ingest${what.replace(/(^| )\w/g, (start) => start.trim().toUpperCase())}`;
    route(`POST /ingest/v1/${kind}`, operationId, access, {
      summary: `Load ${what}`,
      description:
        `Creates or updates ${what} by your own identifiers. A JSON array of up to ${maxRows.toLocaleString('en')} rows is one transaction; a stream of JSON lines (${ndjson}) ` +
        `is committed ${chunkLines} lines at a time. Good rows are applied, bad ones are answered one by one. Sending the same again changes nothing.`,
      querystring: IngestQuerySchema,
      consumes: ['application/json', ndjson],
      body: {
        description: 'Rows: full records, withdrawals, or with `merge` only the fields to change.',
        type: 'array',
        maxItems: maxRows,
        items: { anyOf: [rowSchemas[kind].full, rowSchemas[kind].withdrawal, rowSchemas[kind].merge] },
      },
      response: { 200: One(IngestResultSchema, 'Result for the rows.') },
      config: { takes: `application/json or ${ndjson}`, rows: true, weigh },
      options: {
        bodyLimit: bodyLimits.rowBytes,
        // Rows are checked one by one, so that a bad one is an error of its own and not of the whole request.
        validatorCompiler: (route) =>
          route.httpPart === 'body' ? () => true : compileValidator(route as never),
      },
      handler: (call) => holdingRoom(call.request, () => answer(kind, call)),
    });
  }

  async function answer(kind: FactKind, call: Call<string, IngestQuery, unknown>) {
    const { request } = call;
    const { backfill = false } = call.query;
    if (isStream(request)) return call.one(await ingestStream(kind, request, call.query));
    const rows = await checkBatch(kind, call.body as Buffer, call.query);
    let result: Awaited<ReturnType<typeof ingestRows>> | undefined;
    await call.postFacts(200, async (tx) => {
      result = await ingestRows(tx, kind, request, rows, backfill);
      return result;
    });
    // A repeated request ran nothing.
    if (result) count(kind, result);
    return undefined;
  }

  async function ingestRows<K extends FactKind>(
    tx: FactsTx,
    kind: K,
    request: FastifyRequest,
    { received, good, errors, rejected }: CheckedRows<K>,
    backfill: boolean,
  ) {
    const options = { now: new Date(), backfill };
    const result: IngestResult =
      good.length > 0
        ? await ingest(tx, callerOf(request).org_id, kind, good, options)
        : { created: 0, updated: 0, unchanged: 0, rejected: 0, errors: [], fired: {} };
    return {
      received,
      created: result.created,
      updated: result.updated,
      unchanged: result.unchanged,
      rejected: result.rejected + rejected,
      errors: [...errors, ...result.errors].sort((a, b) => a.index - b.index).slice(0, maxListedErrors),
      fired: result.fired,
    };
  }

  /** After the commit: what was rolled back did not happen. */
  function count(kind: FactKind, result: Awaited<ReturnType<typeof ingestRows>>): void {
    ctx.metrics.ingested(kind, result);
    ctx.metrics.fired(result.fired);
  }

  async function ingestStream(kind: FactKind, request: FastifyRequest, query: IngestQuery) {
    const { backfill = false } = query;
    const total = {
      received: 0,
      created: 0,
      updated: 0,
      unchanged: 0,
      rejected: 0,
      errors: [] as RowError[],
    };
    let chunk = new CheckedRows(kind, formFor(query));
    let bytes = 0;
    let written = Promise.resolve();

    /** Chunks are written one after the other; the next is read and checked while the database is at work on this one. */
    async function takeChunk(): Promise<void> {
      await written;
      const rows = chunk;
      chunk = new CheckedRows(kind, formFor(query));
      bytes = 0;
      written = write(rows);
      // Whoever waits for it next hears of it.
      written.catch(() => {});
    }

    async function write(rows: CheckedRows<FactKind>): Promise<void> {
      ctx.checkWritable();
      const result = await ctx.db.facts(callerOf(request).org_id, (tx) =>
        ingestRows(tx, kind, request, rows, backfill),
      );
      count(kind, result);
      for (const name of ['received', 'created', 'updated', 'unchanged', 'rejected'] as const)
        total[name] += result[name];
      total.errors.push(...result.errors.slice(0, maxListedErrors - total.errors.length));
    }

    try {
      let slice = await nextSlice();
      for await (const line of readLines(request.body as Readable)) {
        chunk.add(line);
        bytes += line.bytes;
        if (chunk.received === chunkLines || bytes >= chunkBytes) await takeChunk();
        if (slice.isOver()) slice = await nextSlice();
      }
      if (chunk.received > 0) await takeChunk();
      await written;
    } catch (error) {
      // What is still being written may count as well.
      await written.catch(() => {});
      if (error instanceof ApiError && error.code !== 'unavailable') throw error;
      request.log.error({ err: error }, 'a stream broke off');
      throw unavailable(
        `The stream broke off after ${total.received} lines, which are committed. Send it again from there, or whole: rows already loaded change nothing.`,
      );
    }
    return total;
  }
}

function formFor({ merge = false }: IngestQuery): 'full' | 'merge' {
  return merge ? 'merge' : 'full';
}

function weigh(request: FastifyRequest, bodyBytes: number): number {
  return isStream(request) ? streamWeight : weighBatch(bodyBytes);
}

function isStream({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.toLowerCase().startsWith(ndjson) ?? false;
}

/** Before they wait for their organization's turn: what is wrong is known at once, and nobody waits for the checking. */
async function checkBatch<K extends FactKind>(
  kind: K,
  body: Buffer,
  query: IngestQuery,
): Promise<CheckedRows<K>> {
  const rows = new CheckedRows(kind, formFor(query));
  let slice = await nextSlice();
  for (const line of readArray(body)) {
    if (rows.received === maxRows) {
      throw new ApiError(
        'payload_too_large',
        `A request can contain at most ${maxRows} rows. To send more, stream them as ${ndjson}.`,
      );
    }
    rows.add(line);
    if (slice.isOver()) slice = await nextSlice();
  }
  return rows;
}
