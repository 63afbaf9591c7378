import { type Command, Option } from 'commander';
import type { FactInput } from '../../client/types.ts';
import type { DatasetSize } from '../../demo/dataset.ts';
import type { FactKind } from '../../vocabulary.ts';
import { operatorCommands } from '../commands.ts';
import { connectClient, connectOperator, type OperatorConnection } from '../connection.ts';
import { CommandError } from '../terminal/exit-codes.ts';
import { type JsonOption, withJson, writeOne } from '../terminal/output.ts';
import { createProgress } from '../terminal/progress.ts';
import { formatRecord } from '../terminal/table.ts';
import { wholeNumber } from '../terminal/values.ts';

type Options = Partial<DatasetSize> & { seed: number; name: string } & JsonOption & OperatorConnection;

/** Large enough that the rate limit does not slow it down, small enough to show progress. */
const batchRows = 5_000;

/** Creates an organization of invented companies in a running service, through the ingest API only. */
export function demoCommand(): Command {
  const size = (what: keyof DatasetSize) =>
    new Option(`--${what} <n>`, `number of ${what} (default: as in the built-in demo)`).argParser(
      wholeNumber(0),
    );
  const description = 'Create an organization of invented companies, of any size, in a running service.';
  return operatorCommands.command('demo', description, {
    options: [
      ...(['partners', 'accounts', 'opportunities', 'activities'] as const).map(size),
      new Option('--seed <n>', 'the same seed creates the same data').argParser(wholeNumber(0)).default(1),
      new Option('--name <text>', 'name of the organization').default('Demo (invented companies)'),
    ],
    examples: `partner-signals demo
    partner-signals demo --accounts 100000 --activities 1000000
    partner-signals demo --seed 7 --name "Second demo"`,
    withOutput: withJson,
    run: makeDemo,
  });
}

async function makeDemo({ seed, name, json, ...options }: Options): Promise<void> {
  // Loaded only when needed: it takes longer to load than the rest of the command line.
  const { dataset, demoSize } = await import('../../demo/dataset.ts');
  const size = {
    partners: options.partners ?? demoSize.partners,
    accounts: options.accounts ?? demoSize.accounts,
    opportunities: options.opportunities ?? demoSize.opportunities,
    activities: options.activities ?? demoSize.activities,
  };
  // The first step rejects impossible sizes before anything is created.
  const batches = dataset({ size, seed, now: new Date(), batchRows });
  let batch = batches.next();

  const operator = await connectOperator(options);
  const { data: organization } = await operator.organizations.create({ name, plan: 'enterprise' });
  const { data: issued } = await operator.keys.create(organization.id, {
    name: 'demo',
    scopes: ['admin', 'ingest'],
  });
  const client = await connectClient({ ...options, key: issued.key }, 10);

  const { data: current, etag } = await client.settings.get();
  await client.settings.replace({ ...current.settings, reporting_currency: 'EUR' }, { ifMatch: etag });

  const totals: Partial<Record<FactKind, number>> = {
    ...size,
    partner_accounts: Math.floor(size.accounts * 1.25),
  };
  while (!batch.done) {
    const { kind } = batch.value;
    const rows = function* (): Generator<FactInput<FactKind>> {
      for (; !batch.done && batch.value.kind === kind; batch = batches.next()) yield* batch.value.rows;
    };
    const progress = createProgress(kind.replace('_', ' '), totals[kind]);
    const { received, rejected, errors } = await client.load(kind, rows(), {
      backfill: true,
      batchRows,
      onBatch: (_, loaded) => progress.update(loaded.received),
    });
    progress.finish(received);
    if (rejected > 0)
      throw new CommandError(`${rejected} rows were rejected. The first: ${JSON.stringify(errors[0])}`);
  }
  await writeOne({ organization_id: organization.id, key: issued.key }, { json }, (made) =>
    formatRecord([
      ['organization', made.organization_id],
      ['key', made.key],
    ]),
  );
}
