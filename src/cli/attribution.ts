import { Command, Option } from 'commander';
import type { ResolveDispute, SimulateAttribution } from '../client/types.ts';
import { resolutions, type Tier, tiers } from '../vocabulary.ts';
import { columns, disputeLines, recordLines, simulationLines, summaryLines } from './attribution-lines.ts';
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
    .description('Show a record with its evidence and disputes.')
    .argument('<id>', 'ID of the record (atr_…)')
    .action(async (id: string, options: JsonOption & ClientConnection) => {
      const { data } = await (await connectClient(options)).attribution.get(id);
      await writeOne(data, options, recordLines);
    });
  const summary = withFilters(new Command('summary'))
    .description('Show totals by partner, tier and month, for each currency separately.')
    .action(async (options: Filters & JsonOption & ClientConnection) => {
      const { data } = await (await connectClient(options)).attribution.summary(query(options));
      await writeOne(data, options, summaryLines);
    });
  const dispute = new Command('dispute')
    .description('Open a dispute: claim a different tier for a record.')
    .argument('<id>', 'ID of the record (atr_…)')
    .addOption(new Option('--tier <tier>', 'tier you claim').choices(tiers).makeOptionMandatory())
    .requiredOption('--justification <text>', 'reason for the claim')
    .option('-q, --quiet', 'print only the ID of the dispute')
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
    .description('Accept, reject or withdraw a dispute.')
    .argument('<id>', 'ID of the record (atr_…)')
    .argument('<dispute>', 'ID of the dispute (dsp_…)')
    .addOption(
      new Option(
        '--status <status>',
        'accepted and rejected require an admin key other than the one that opened the dispute; withdrawn requires scope write',
      )
        .choices(resolutions)
        .makeOptionMandatory(),
    )
    .option('--note <text>', 'reason for the decision')
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
    .description('Show what a different policy would have credited. This changes nothing.')
    .requiredOption(
      '--file <file>',
      'policy as JSON: the settings, or only their attribution and pre_intent parts; - reads standard input',
    )
    .action(async ({ file, ...options }: { file: string } & Period & JsonOption & ClientConnection) => {
      const policy = policyOf(await readJsonFile(file));
      const client = await connectClient(options);
      const { data } = await client.attribution.simulate({ policy, ...period(options) });
      await writeOne(data, options, simulationLines);
    });

  return withExamples(
    new Command('attribution').description(
      'See and dispute attribution: who is credited on which won deal, and why.',
    ),
    `partner-signals attribution list --tier sourced
    partner-signals attribution show atr_01h…
    partner-signals attribution summary --closed-after 2026-01-01`,
  )
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
        `partner-signals attribution resolve atr_01h… dsp_01h… --status accepted --note "The email shows it." --key psk_…
        partner-signals attribution resolve atr_01h… dsp_01h… --status withdrawn`,
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
      .option('--partner <id>', 'only records of this partner')
      .addOption(new Option('--tier <tier>', 'only records at this tier').choices(tiers)),
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

/** Accepts whole settings or the policy alone. The service reports what is wrong with anything else. */
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
