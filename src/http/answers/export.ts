import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, invalidFields } from '../../contract/error.ts';
import type { OrganizationId } from '../../contract/ids.ts';
import type { Position } from '../../store/db/cursor.ts';
import { operators } from '../../store/db/tx.ts';
import { claimExport, leaseSeconds, releaseExport } from '../../store/facts/exports.ts';
import { exportRows, pageLimits } from '../../vocabulary.ts';
import type { Context } from '../context.ts';
import { type Cells, columnsOf, csvHeader, csvLines } from './csv.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route also returns CSV if the caller asks for it. */
    csv?: boolean;
  }
}

const contentType = 'text/csv; charset=utf-8; header=present';

/** Whether the caller prefers CSV over JSON. */
export function wantsCsv({ headers }: FastifyRequest): boolean {
  const ranges = headers.accept?.toLowerCase().split(',');
  if (!ranges) return false;
  const quality = (type: string) => {
    const [range] = ranges.filter((range) => range.split(';', 1)[0]?.trim() === type);
    return range === undefined ? 0 : Number(/;\s*q=([\d.]+)/.exec(range)?.[1] ?? 1);
  };
  return quality('text/csv') > quality('application/json');
}

/**
 * Sends a whole list as CSV, page by page, as fast as the caller reads. It holds no database connection meanwhile. An
 * organization has one export at a time, across all processes.
 */
export async function exportList<Row extends object>(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  fetch: (limit: number, after: Position | null) => Promise<Row[]>,
  position: (row: Row) => Position | Promise<Position>,
): Promise<FastifyReply> {
  refusePaging(request);
  const columns = columnsOf(itemSchema(request));
  reply.type(contentType);
  if (request.method === 'HEAD') return reply.send('');
  const lease = await takeLease(ctx, request.caller?.org_id ?? operators, request.id);
  let rows: Row[];
  try {
    // Before the response begins, so that a failure can still be an error response.
    rows = await fetch(pageLimits.most, null);
  } catch (error) {
    await lease.release();
    throw error;
  }

  // A failure in the middle destroys the connection, so that a partial file cannot be taken for a complete one.
  async function* pieces() {
    try {
      yield csvHeader(columns);
      for (let count = rows.length; ; count += rows.length) {
        yield csvLines(columns, rows as Cells[]);
        const last = rows.at(-1);
        if (!last || rows.length < pageLimits.most) return;
        await lease.renew();
        rows = await fetch(pageLimits.most, await position(last));
        if (count < exportRows || rows.length === 0) continue;
        yield csvLines(columns, [{ [columns[0] ?? '']: tooMany }]);
        return;
      }
    } finally {
      await lease.release();
    }
  }
  return reply.send(Readable.from(pieces()));
}

const tooMany = `Only the first ${exportRows.toLocaleString('en')} rows are included. Use filters to export fewer.`;

export function sendRows(reply: FastifyReply, columns: readonly string[], rows: object[]): FastifyReply {
  return reply.type(contentType).send(csvHeader(columns) + csvLines(columns, rows as Cells[]));
}

function refusePaging({ url }: FastifyRequest): void {
  const given = new URL(url, 'https://localhost').searchParams;
  const details = ['limit', 'cursor']
    .filter((field) => given.has(field))
    .map((field) => ({
      field,
      code: 'invalid_value' as const,
      message: 'cannot be used with CSV, which has no pages',
    }));
  if (details.length > 0) throw invalidFields(details);
}

function itemSchema({ routeOptions }: FastifyRequest): Parameters<typeof columnsOf>[0] {
  const { response } = routeOptions.schema as {
    response: { 200: { properties: { data: { items: Parameters<typeof columnsOf>[0] } } } };
  };
  return response[200].properties.data.items;
}

async function takeLease({ db, log }: Context, orgId: OrganizationId, id: string) {
  if (!(await claimExport(db.queue, orgId, id)))
    throw new ApiError(
      'rate_limited',
      'Another export of your organization is running. Try again when it has finished.',
      { headers: { 'Retry-After': '5' } },
    );
  let renewedAt = performance.now();
  return {
    async renew(): Promise<void> {
      if (performance.now() - renewedAt < (leaseSeconds * 1_000) / 4) return;
      renewedAt = performance.now();
      // Another export takes over only if this one has not renewed its claim for too long.
      if (!(await claimExport(db.queue, orgId, id))) throw new Error('another export has begun');
    },
    /** If this fails, the claim expires. */
    release: () =>
      releaseExport(db.queue, orgId, id).catch((error) =>
        log.warn({ err: error }, 'an export was not released'),
      ),
  };
}
