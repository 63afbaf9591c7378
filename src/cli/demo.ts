import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError } from 'commander';
import type { FactKind } from '../contract/ingest.ts';
import { type DatasetSize, dataset, demoSize } from '../demo/dataset.ts';
import { createProgress } from './progress.ts';

type Options = DatasetSize & { seed: number; url: string; dataDir: string; name: string };

const batchRows = 1_000;

/** Makes an organization of invented companies of any size, by ingest alone, in a service that is running. */
export function demoCommand(): Command {
  return new Command('demo')
    .description('Make an organization of invented companies, of any size, in a running service.')
    .option('--partners <n>', 'how many partners', count, demoSize.partners)
    .option('--accounts <n>', 'how many accounts', count, demoSize.accounts)
    .option('--opportunities <n>', 'how many opportunities', count, demoSize.opportunities)
    .option('--activities <n>', 'how many activities', count, demoSize.activities)
    .option('--seed <n>', 'the same seed makes the same data', count, 1)
    .option('--name <text>', 'the name of the organization', 'Demo (invented companies)')
    .option('--url <url>', 'where the service is', 'https://localhost:8443')
    .option('--data-dir <dir>', "the service's DATA_DIR, for its operator key and certificate", './data')
    .addHelpText(
      'after',
      `
Examples:
  npm run demo                                             the size of the built-in demo
  npm run demo -- --accounts 100000 --activities 1000000   for a benchmark
  npm run demo -- --seed 7 --name "Second demo"            other companies`,
    )
    .action(makeDemo);
}

async function makeDemo(options: Options): Promise<void> {
  const ca = await readFile(join(options.dataDir, 'tls/ca.pem'), 'utf8');
  const operatorKey = (await readFile(join(options.dataDir, 'operator.key'), 'utf8')).trim();
  const agent = new Agent({ ca, keepAlive: true });
  const post = poster(options.url, agent);
  const organization = await post('/admin/v1/organizations', operatorKey, {
    name: options.name,
    plan: 'enterprise',
  });
  const keysPath = `/admin/v1/organizations/${organization.id}/keys`;
  const { key } = await post(keysPath, operatorKey, { name: 'demo', scopes: ['admin', 'ingest'] });

  const { partners, accounts, opportunities, activities } = options;
  const sizes: Record<FactKind, number> = {
    partners,
    accounts,
    opportunities,
    activities,
    partner_accounts: Math.floor(accounts * 1.25),
  };
  const batches = dataset({
    size: { partners, accounts, opportunities, activities },
    seed: options.seed,
    now: new Date(),
    batchRows,
  });
  let batch = batches.next();
  while (!batch.done) {
    const { kind } = batch.value;
    const progress = createProgress(process.stderr, kind.replace('_', ' '), sizes[kind]);
    let sent = 0;
    const lines = function* () {
      for (; !batch.done && batch.value.kind === kind; batch = batches.next()) {
        yield `${batch.value.rows.map((row) => JSON.stringify(row)).join('\n')}\n`;
        sent += batch.value.rows.length;
        progress.update(sent);
      }
    };
    const result = await send(
      options.url,
      agent,
      `/ingest/v1/${kind}?backfill=true`,
      key,
      'application/x-ndjson',
      Readable.from(lines()),
    );
    progress.finish(sent);
    if (result.rejected > 0)
      throw new Error(`${result.rejected} rows were refused, the first: ${JSON.stringify(result.errors[0])}`);
  }
  agent.destroy();
  console.log(`\norganization  ${organization.id}\nkey           ${key}`);
}

// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is the contract's; a typed client is not there yet
type Data = any;

function poster(url: string, agent: Agent) {
  return (path: string, key: string, body: unknown): Promise<Data> =>
    send(url, agent, path, key, 'application/json', Readable.from([JSON.stringify(body)]));
}

async function send(
  url: string,
  agent: Agent,
  path: string,
  key: string,
  type: string,
  body: Readable,
): Promise<Data> {
  const sent = request(`${url}${path}`, {
    method: 'POST',
    agent,
    headers: { authorization: `Bearer ${key}`, 'content-type': type },
  });
  const answered = new Promise<Data>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const answer = JSON.parse(Buffer.concat(chunks).toString());
      if (answer.error) reject(new Error(`${path}: ${answer.error.message} (${answer.error.request_id})`));
      else resolve(answer.data);
    });
  });
  await Promise.all([pipeline(body, sent), answered]);
  return answered;
}

function count(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It takes a whole number.');
  return Number(text);
}
