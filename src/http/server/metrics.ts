import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Fired } from '../../domain/evaluate-pairs.ts';
import type { Db, PoolSize } from '../../store/db/db.ts';
import { readQueue } from '../../store/delivery/queue.ts';
import { type FactKind, factKinds, type SignalType, signalTypes } from '../../vocabulary.ts';
import { version } from './version.ts';

const rowOutcomes = ['created', 'updated', 'unchanged', 'rejected'] as const;
const attemptOutcomes = ['delivered', 'retry', 'failed'] as const;

export type Metrics = {
  request(request: FastifyRequest, reply: FastifyReply): void;
  ingested(kind: FactKind, rows: Record<(typeof rowOutcomes)[number], number>): void;
  fired(signals: Fired): void;
  suggested(records: number): void;
  attempted(outcome: (typeof attemptOutcomes)[number], seconds: number): void;
  watch(name: string, size: () => PoolSize): void;
  /** Read at every scrape. */
  gauge(name: string, help: string, read: () => number): void;
  contentType: string;
  /** Reads the queue from `db`; if that fails, the other metrics are still returned. */
  text(db: Db): Promise<string>;
};

/** Counts since the start of the process. No label grows with what clients send, or with their number. */
export function createMetrics(): Metrics {
  // Not the global registry: several services may run in one process.
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });

  const requests = new Counter({
    name: 'partner_signals_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'partner_signals_http_request_duration_seconds',
    help: 'From the headers of a request to the end of its response.',
    labelNames: ['method', 'route'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  const refusals = new Counter({
    name: 'partner_signals_rate_limit_refusals_total',
    help: 'Requests refused by a rate limit: of an organization, or of an address without a valid key.',
    labelNames: ['limit'],
    registers,
  });
  const rows = new Counter({
    name: 'partner_signals_ingest_rows_total',
    help: 'Rows received, by outcome.',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const signals = new Counter({
    name: 'partner_signals_signals_fired_total',
    help: 'Signals that fired.',
    labelNames: ['type'],
    registers,
  });
  const compared = new Counter({
    name: 'partner_signals_suggestion_records_total',
    help: 'Accounts and partner accounts that were compared to suggest matches.',
    registers,
  });
  const attempts = new Counter({
    name: 'partner_signals_delivery_attempts_total',
    help: 'Delivery attempts: delivered, to be retried, or failed permanently.',
    labelNames: ['outcome'],
    registers,
  });
  const latencies = new Histogram({
    name: 'partner_signals_delivery_attempt_duration_seconds',
    help: 'From the start of an attempt to the response or timeout.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  });
  const due = new Gauge({
    name: 'partner_signals_deliveries_due',
    help: 'Deliveries of the whole installation that are due now; counts up to 100,000.',
    registers,
  });
  const oldest = new Gauge({
    name: 'partner_signals_deliveries_oldest_due_seconds',
    help: 'How long the oldest due delivery has waited.',
    registers,
  });
  const pools = new Map<string, () => PoolSize>();
  new Gauge({
    name: 'partner_signals_database_connections',
    help: 'Database connections used and idle, and callers waiting for one.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, size] of pools) {
        const { totalCount, idleCount, waitingCount } = size();
        this.set({ pool, state: 'used' }, totalCount - idleCount);
        this.set({ pool, state: 'idle' }, idleCount);
        this.set({ pool, state: 'waiting' }, waitingCount);
      }
    },
  });
  new Gauge({
    name: 'partner_signals_build_info',
    help: 'Always 1; the labels show the versions.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.version }, 1);

  // Starts at zero, so that the first one shows as an increase.
  for (const kind of factKinds) for (const outcome of rowOutcomes) rows.inc({ kind, outcome }, 0);
  for (const type of signalTypes) signals.inc({ type }, 0);
  for (const outcome of attemptOutcomes) attempts.inc({ outcome }, 0);
  for (const limit of ['organization', 'address']) refusals.inc({ limit }, 0);

  return {
    request(request, reply) {
      const route = request.routeOptions.url ?? 'unknown';
      const method = route === 'unknown' ? 'any' : request.method;
      requests.inc({ method, route, status: reply.statusCode });
      durations.observe({ method, route }, reply.elapsedTime / 1000);
      if (reply.statusCode === 429) refusals.inc({ limit: request.caller ? 'organization' : 'address' });
    },
    ingested(kind, counts) {
      for (const outcome of rowOutcomes) rows.inc({ kind, outcome }, counts[outcome]);
    },
    fired(counts) {
      for (const [type, count] of Object.entries(counts) as [SignalType, number][])
        signals.inc({ type }, count);
    },
    suggested: (records) => compared.inc(records),
    attempted(outcome, seconds) {
      attempts.inc({ outcome });
      latencies.observe(seconds);
    },
    watch: (name, size) => void pools.set(name, size),
    gauge(name, help, read) {
      new Gauge({
        name: `partner_signals_${name}`,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    },
    contentType: register.contentType,
    async text(db) {
      const queue = await readQueue(db, 100_000).catch(() => null);
      if (queue) {
        due.set(queue.due);
        oldest.set(queue.oldest_seconds);
      } else {
        due.remove();
        oldest.remove();
      }
      return register.metrics();
    },
  };
}
