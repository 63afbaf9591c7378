// How fast is ingest, and how much slower in a full store? The service runs as a separate process next to PostgreSQL and
// receives streams of JSON lines over HTTPS. Measures
//   empty   every kind of fact, into an empty store
//   full    the same rows for a new organization, next to one with a million activities
//   busy    the last stream of that organization's activities, on accounts that already have many
// and, right before each, a baseline: COPY of the same rows into a table without an index.
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { type DatasetSize, dataset } from '../src/demo/dataset.ts';
import { type FactKind, factKinds } from '../src/vocabulary.ts';
import { type Installation, startInstallation } from './installation.ts';
import type { Say, Section } from './section.ts';

const now = new Date();

/** Rows per second, by kind. */
type Rates = Map<FactKind, number>;

export async function measureIngest(quick: boolean, say: Say): Promise<Section> {
  const sample: DatasetSize = quick
    ? { partners: 50, accounts: 500, opportunities: 500, activities: 2_000 }
    : { partners: 500, accounts: 5_000, opportunities: 5_000, activities: 30_000 };
  const whole: DatasetSize = quick
    ? { partners: 100, accounts: 1_000, opportunities: 1_000, activities: 20_000 }
    : { partners: 500, accounts: 50_000, opportunities: 50_000, activities: 1_000_000 };
  const streamRows = quick ? 4_000 : 50_000;
  const installation = await startInstallation();
  try {
    const load = (size: DatasetSize, seed: number, onStream?: Say) =>
      loadFacts(installation, { size, seed, streamRows, ...(onStream && { onStream }) });
    await load({ ...sample, activities: sample.activities / 10 }, 1); // warms up
    const floor = await copyAll(installation, sample, 2);
    const empty = await load(sample, 2);
    say(`growing to ${whole.activities} activities`);
    const busy = await load(whole, 3, say);
    const floorAfter = await copyAll(installation, sample, 2);
    const full = await load(sample, 2);
    const rows = factKinds.flatMap((kind) => {
      const [before, after] = [empty.get(kind), full.get(kind)];
      if (before === undefined || after === undefined) return [];
      const [copied = Number.NaN, copiedAfter = Number.NaN] = [floor.get(kind), floorAfter.get(kind)];
      return [
        {
          fact: kind,
          'empty, rows/s': before,
          'full, rows/s': after,
          'empty / COPY': before / copied,
          'full / COPY': after / copiedAfter,
          'full / empty': after / before,
        },
      ];
    });
    return {
      name: 'ingest',
      title: 'Loading facts',
      rows,
      notes: [
        `The last stream of the large organization: ${busy.get('activities')?.toFixed(0)} activities a second.`,
      ],
      chart: { label: 'fact', value: 'empty, rows/s', better: 'higher' },
    };
  } finally {
    await installation.stop();
  }
}

/** Loads these facts into a new organization, and returns the rate of the last stream of each kind. */
async function loadFacts(
  { newOrganization, sendLines }: Installation,
  {
    size,
    seed,
    streamRows,
    onStream = () => {},
  }: { size: DatasetSize; seed: number; streamRows: number; onStream?: Say },
): Promise<Rates> {
  const key = await newOrganization(['ingest']);
  const rates: Rates = new Map();
  let sent = 0;
  for (const { kind, rows } of dataset({ size, seed, now, batchRows: streamRows })) {
    const startedAt = performance.now();
    const answer = (await sendLines(`/ingest/v1/${kind}`, key, rows)) as { created: number };
    const rate = rows.length / ((performance.now() - startedAt) / 1_000);
    if (answer.created !== rows.length) throw new Error(`not every row was taken: ${JSON.stringify(answer)}`);
    sent += rows.length;
    onStream(`${sent} rows sent, ${kind} at ${rate.toFixed(0)} a second`);
    rates.set(kind, rate);
  }
  return rates;
}

/** The upper limit for any service that stores these rows: no index, no reference, no rule. */
async function copyAll({ connection }: Installation, size: DatasetSize, seed: number): Promise<Rates> {
  const client = new pg.Client(connection);
  await client.connect();
  const rates: Rates = new Map();
  for (const kind of factKinds) {
    const batches = [...dataset({ size, seed, now, batchRows: 1_000 })].filter(
      (batch) => batch.kind === kind,
    );
    const rows = batches.flatMap((batch) => batch.rows as Record<string, unknown>[]);
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    // It takes milliseconds, and a pause of the machine could be longer than that.
    for (let time = 0; time < 3; time++) {
      await client.query(`create table floor (${columns.map((name) => `${name} text`).join(', ')})`);
      const startedAt = performance.now();
      await copyIn(
        client,
        rows.map((row) => `${columns.map((name) => field(row[name])).join('\t')}\n`),
      );
      const rate = rows.length / ((performance.now() - startedAt) / 1_000);
      rates.set(kind, Math.max(rate, rates.get(kind) ?? 0));
      await client.query('drop table floor');
    }
  }
  await client.end();
  return rates;
}

function field(value: unknown): string {
  if (value === undefined || value === null) return '\\N';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n');
}

function copyIn(client: pg.Client, lines: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query({
      submit: (connection: pg.Connection) => connection.query('copy floor from stdin'),
      handleCopyInResponse(
        connection: pg.Connection & { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void },
      ) {
        for (let at = 0; at < lines.length; at += 1_000)
          connection.sendCopyFromChunk(Buffer.from(lines.slice(at, at + 1_000).join('')));
        connection.endCopyFrom();
      },
      handleError: reject,
      handleCommandComplete() {},
      handleReadyForQuery: () => resolve(),
    } as unknown as pg.Submittable);
  });
}
