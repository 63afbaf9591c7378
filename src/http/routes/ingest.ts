import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { One, strictObject } from '../../contract/envelope.ts';
import { ApiError, unavailable } from '../../contract/error.ts';
import { IngestResultSchema, maxListedErrors, rowSchemas } from '../../contract/ingest.ts';
import { type IngestResult, ingest, type RowError } from '../../domain/ingest/ingest.ts';
import { quietly } from '../../domain/prefetch.ts';
import type { FactsTx } from '../../store/db/tx.ts';
import { bodyLimits, type FactKind, factKinds } from '../../vocabulary.ts';
import type { Access } from '../admission/admit.ts';
import { holdingReservation } from '../admission/in-flight.ts';
import { compileValidator } from '../admission/validation.ts';
import { unsupportedMediaType } from '../answers/errors.ts';
import type { Call } from '../call.ts';
import type { Context } from '../context.ts';
import { type CheckedRows, weighBatch } from '../ingest/ingest-rows.ts';
import { chunkLines, ndjson, readBatch, readChunks } from '../ingest/read-rows.ts';
import { routeTable } from '../route-table.ts';
import type { Router } from '../router.ts';

const maxRows = bodyLimits.rows;
/** The memory of a stream of any length: a chunk that is being written and the next one, with the errors so far. */
const streamWeight = 16 * 1024 * 1024;
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
        'Changes records instead of replacing them: a field that is absent keeps its value, and null clears it. A new record needs all its fields.',
      examples: [false],
    }),
  ),
});
type IngestQuery = Static<typeof IngestQuerySchema>;

export function ingestRoutes(app: Router, ctx: Context): void {
  // The handler reads the stream chunk by chunk, so nothing is parsed here.
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
        `is committed ${chunkLines} lines at a time. Valid rows are applied, and each invalid row gets its own error. Sending the same rows again changes nothing.`,
      querystring: IngestQuerySchema,
      consumes: ['application/json', ndjson],
      body: {
        description:
          'Rows: full records, deletions (`deleted: true`), or, with `merge`, only the fields to change.',
        type: 'array',
        maxItems: maxRows,
        items: { anyOf: [rowSchemas[kind].full, rowSchemas[kind].withdrawal, rowSchemas[kind].merge] },
      },
      response: { 200: One(IngestResultSchema, 'Result for the rows.') },
      config: { takes: `application/json or ${ndjson}`, rows: true, weigh },
      options: {
        bodyLimit: bodyLimits.rowBytes,
        // Rows are checked one by one, so that an invalid row gets its own error instead of failing the request.
        validatorCompiler: (route) =>
          route.httpPart === 'body' ? () => true : compileValidator(route as never),
      },
      handler: (call) =>
        isStream(call.request)
          ? holdingReservation(call.request, () => answerStream(kind, call))
          : holdingReservation(call.request, () => answerBatch(kind, call)),
    });
  }

  /** Rows are checked before the batch waits for its organization's lock, so that errors are known early. */
  async function answerBatch(kind: FactKind, call: IngestCall): Promise<void> {
    const rows = await readBatch(kind, formOf(call), call.body as Buffer);
    return call.postFacts(
      200,
      (tx) => ingestRows(tx, kind, rows, call),
      (result) => count(kind, result),
    );
  }

  async function answerStream(kind: FactKind, call: IngestCall) {
    const counts = { received: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
    const total = { ...counts, errors: [] as RowError[] };
    let written = Promise.resolve();
    try {
      // Chunks are written one after the other. While the database writes one, the next is read and checked.
      for await (const rows of readChunks(kind, formOf(call), call.body as Readable)) {
        await written;
        written = quietly(writeChunk(rows));
      }
      await written;
    } catch (error) {
      // A chunk that is still being written may count as well.
      await written.catch(() => {});
      if (error instanceof ApiError && error.code !== 'unavailable') throw error;
      call.request.log.error({ err: error }, 'a stream was interrupted');
      throw unavailable(
        `The stream was interrupted after ${total.received} lines, which are committed. Send the rest, or everything again: rows that are already loaded change nothing.`,
      );
    }
    return call.one(total);

    async function writeChunk(rows: CheckedRows<FactKind>): Promise<void> {
      ctx.checkWritable();
      const result = await call.facts((tx) => ingestRows(tx, kind, rows, call));
      count(kind, result);
      for (const name of Object.keys(counts) as (keyof typeof counts)[]) total[name] += result[name];
      total.errors.push(...result.errors.slice(0, maxListedErrors - total.errors.length));
    }
  }

  async function ingestRows<K extends FactKind>(
    tx: FactsTx,
    kind: K,
    { received, good, errors, rejected }: CheckedRows<K>,
    { orgId, query }: IngestCall,
  ): Promise<Ingested> {
    const options = { now: new Date(), backfill: query.backfill ?? false };
    const result = await ingest(tx, orgId, kind, good, options);
    return {
      ...result,
      received,
      rejected: result.rejected + rejected,
      errors: [...errors, ...result.errors].sort((a, b) => a.index - b.index).slice(0, maxListedErrors),
    };
  }

  /** After the commit, because a rollback undoes the rows. */
  function count(kind: FactKind, result: Ingested): void {
    ctx.metrics.ingested(kind, result);
    ctx.metrics.fired(result.fired);
  }
}

type IngestCall = Call<string, IngestQuery, unknown>;
type Ingested = IngestResult & { received: number };

function formOf({ query }: IngestCall): 'full' | 'merge' {
  return query.merge ? 'merge' : 'full';
}

function weigh(request: FastifyRequest, bodyBytes: number): number {
  return isStream(request) ? streamWeight : weighBatch(bodyBytes);
}

function isStream({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.toLowerCase().startsWith(ndjson) ?? false;
}
