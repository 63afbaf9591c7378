import { Command, Option } from 'commander';
import type { SimulateAttribution } from '../client/types.ts';
import type { Tier } from '../contract/activity.ts';
import type { ResolveDispute } from '../contract/attribution.ts';
import { columns, disputeLines, recordLines, simulationLines, summaryLines } from './attribution-lines.ts';
import { attributionTiers, resolutions } from './choices.ts';
import { type ClientConnection, connectClient, withClient } from './connection.ts';
import {
  type JsonOption,
  type ListOptions,
  withExamples,
  withJson,
  withList,
  write,
  writeList,
  writeOne,
} from './output.ts';
import { readJsonFile } from './values.ts';

type Period = { closedAfter?: string; closedBefore?: string };
type Filters = Period & { partner?: string; tier?: Tier };

export function attributionCommand(): Command {
  const list = withFilters(new Command('list'))
    .description('List attribution records: which partner is credited on which won deal.')
    .action(async (options: Filters & ListOptions & ClientConnection) => {
      const client = await connectClient(options);
      await writeList(options, columns, (limit) => client.attribution.list({ ...query(options), limit }));
    });
  const show = new Command('show')
    .description('Show a record with its evidence and its disputes.')
    .argument('<id>', 'atr_…')
    .action(async (id: string, options: JsonOption & ClientConnection) => {
      const { data } = await (await connectClient(options)).attribution.get(id);
      await writeOne(data, options, recordLines);
    });
  const summary = withFilters(new Command('summary'))
    .description('Sum credit by partner, tier and month.')
    .action(async (options: Filters & JsonOption & ClientConnection) => {
      const { data } = await (await connectClient(options)).attribution.summary(query(options));
      await writeOne(data, options, summaryLines);
    });
  const dispute = new Command('dispute')
    .description('Claim another tier for a record.')
    .argument('<id>', 'atr_…')
    .addOption(
      new Option('--tier <tier>', 'the tier that is claimed').choices(attributionTiers).makeOptionMandatory(),
    )
    .requiredOption('--justification <text>', 'why')
    .option('-q, --quiet', "print the dispute's id and nothing else")
    .action(
      async (
        id: string,
        {
          tier,
          justification,
          quiet,
          ...options
        }: { tier: Tier; justification: string; quiet?: boolean } & JsonOption & ClientConnection,
      ) => {
        const client = await connectClient(options);
        const { data } = await client.attribution.dispute(id, { claimed_tier: tier, justification });
        if (quiet) await write(data.id);
        else await writeOne(data, options, disputeLines);
      },
    );
  const resolve = new Command('resolve')
    .description('End a dispute.')
    .argument('<id>', 'atr_…')
    .argument('<dispute>', 'dsp_…')
    .addOption(
      new Option('--status <status>', 'how it ends; withdrawn needs scope write, the others admin')
        .choices(resolutions)
        .makeOptionMandatory(),
    )
    .option('--note <text>', 'why')
    .action(
      async (
        id: string,
        disputeId: string,
        { status, note, ...options }: ResolveDispute & JsonOption & ClientConnection,
      ) => {
        const client = await connectClient(options);
        const body = { status, ...(note === undefined ? {} : { note }) };
        const { data } = await client.attribution.resolveDispute(id, disputeId, body);
        await writeOne(data, options, disputeLines);
      },
    );
  const simulate = withPeriod(new Command('simulate'))
    .description('Show what another policy would have credited; nothing is changed.')
    .requiredOption(
      '--file <file>',
      'the policy as JSON: settings, or their parts that decide credit; - reads standard input',
    )
    .action(async ({ file, ...options }: { file: string } & Period & JsonOption & ClientConnection) => {
      const policy = policyOf(await readJsonFile(file));
      const client = await connectClient(options);
      const { data } = await client.attribution.simulate({ policy, ...period(options) });
      await writeOne(data, options, simulationLines);
    });

  return new Command('attribution')
    .description('The ledger: who is credited on which won deal, and why.')
    .addCommand(
      withExamples(
        withClient(withList(list)),
        'partner-signals attribution list --tier sourced --closed-after 2026-01-01',
      ),
    )
    .addCommand(withExamples(withClient(withJson(show)), 'partner-signals attribution show atr_01h…'))
    .addCommand(
      withExamples(
        withClient(withJson(summary)),
        'partner-signals attribution summary --closed-after 2026-01-01',
      ),
    )
    .addCommand(
      withExamples(
        withClient(withJson(dispute)),
        'partner-signals attribution dispute atr_01h… --tier sourced --justification "They made the introduction."',
      ),
    )
    .addCommand(
      withExamples(
        withClient(withJson(resolve)),
        'partner-signals attribution resolve atr_01h… dsp_01h… --status accepted --note "The e-mail shows it."',
      ),
    )
    .addCommand(
      withExamples(
        withClient(withJson(simulate)),
        `partner-signals org settings show org_01h… > settings.json
        partner-signals attribution simulate --file settings.json --closed-after 2026-01-01`,
      ),
    );
}

function withFilters(command: Command): Command {
  return withPeriod(
    command
      .option('--partner <id>', 'only for this partner')
      .addOption(new Option('--tier <tier>', 'only this tier').choices(attributionTiers)),
  );
}

function withPeriod(command: Command): Command {
  return command
    .option('--closed-after <date>', 'only deals closed after this date')
    .option('--closed-before <date>', 'only deals closed before this date');
}

function query({ partner, tier, ...rest }: Filters) {
  return { partner_id: partner, tier, ...period(rest) };
}

function period({ closedAfter, closedBefore }: Period) {
  return { closed_after: closedAfter, closed_before: closedBefore };
}

/** A policy is a part of the settings; the service says what is wrong with one that is neither. */
function policyOf(given: unknown): SimulateAttribution['policy'] {
  const document = given as { settings?: unknown } | null;
  const settings = (document?.settings ?? document) as {
    attribution?: unknown;
    signals?: { pre_intent?: unknown };
  } | null;
  if (!settings?.signals) return settings as SimulateAttribution['policy'];
  return {
    attribution: settings.attribution,
    pre_intent: settings.signals.pre_intent,
  } as SimulateAttribution['policy'];
}
