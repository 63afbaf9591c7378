import { type Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import type * as api from '../../client/types.ts';
import { resolutions, tiers } from '../../vocabulary.ts';
import { clientCommands, group } from '../commands.ts';
import { usageError } from '../terminal/exit-codes.ts';
import { field, readJsonFile } from '../terminal/values.ts';
import {
  disputeLines,
  opportunityCreditLines,
  recordColumns,
  recordLines,
  simulationLines,
  summaryLines,
} from './attribution-lines.ts';

const recordId = { '<id>': 'ID of the record (atr_…)' };
type Period = Pick<api.SimulateAttribution, 'closed_after' | 'closed_before'>;

export function attributionCommand(): Command {
  return group('attribution', 'See and dispute attribution: who is credited on which won deal, and why.', {
    examples: `partner-signals attribution list --tier sourced
    partner-signals attribution show atr_01h…
    partner-signals attribution summary --closed-after 2026-01-01`,
    commands: [
      clientCommands.list('list', 'List attribution records: which partner is credited on which won deal.', {
        options: filterOptions(),
        examples: 'partner-signals attribution list --tier sourced --closed-after 2026-01-01',
        columns: recordColumns,
        rows: (client, query: api.AttributionQuery) => client.attribution.list(query),
      }),
      clientCommands.one('show', 'Show a record with its evidence and disputes.', {
        arguments: recordId,
        examples: 'partner-signals attribution show atr_01h…',
        get: (client, _, id) => client.attribution.get(id),
        lines: recordLines,
      }),
      clientCommands.one('show-deal', 'Show who is credited for a deal, and with how much of it.', {
        arguments: { '<deal>': 'the deal: its ID (opp_…), CRM ID or the beginning of its name' },
        examples: `partner-signals attribution show-deal 0065e00002XyZaB
        partner-signals attribution show-deal "Harbour Mills renewal"`,
        get: (client, _, opportunity) => creditOf(client, opportunity),
        lines: opportunityCreditLines,
      }),
      clientCommands.one('summary', 'Show totals by partner, tier and month, for each currency separately.', {
        options: filterOptions(),
        examples: 'partner-signals attribution summary --closed-after 2026-01-01',
        get: (client, query: api.AttributionSummaryQuery) => client.attribution.summary(query),
        csv: (client, query: api.AttributionSummaryQuery) => client.attribution.summaryCsv(query),
        lines: summaryLines,
      }),
      clientCommands.one('dispute', 'Open a dispute: claim a different tier for a record.', {
        arguments: recordId,
        options: [
          field('claimed_tier', '--tier <tier>', 'tier you claim').choices(tiers).makeOptionMandatory(),
          new Option('--justification <text>', 'reason for the claim').makeOptionMandatory(),
        ],
        examples:
          'partner-signals attribution dispute atr_01h… --tier sourced --justification "They made the introduction."',
        get: (client, claim: api.OpenDispute, id) => client.attribution.dispute(id, claim),
        lines: disputeLines,
        quiet: ['print only the ID of the dispute', ({ id }) => id],
      }),
      clientCommands.one('resolve', 'Accept, reject or withdraw a dispute.', {
        arguments: { ...recordId, '<dispute>': 'ID of the dispute (dsp_…)' },
        options: [
          new Option(
            '--status <status>',
            'accepted and rejected require an admin key other than the one that opened the dispute; withdrawn requires scope write',
          )
            .choices(resolutions)
            .makeOptionMandatory(),
          new Option('--note <text>', 'reason for the decision'),
        ],
        examples: `partner-signals attribution resolve atr_01h… dsp_01h… --status accepted --note "The email shows it." --key psk_…
        partner-signals attribution resolve atr_01h… dsp_01h… --status withdrawn`,
        get: (client, resolution: api.ResolveDispute, id, disputeId) =>
          client.attribution.resolveDispute(id, disputeId, resolution),
        lines: disputeLines,
      }),
      clientCommands.one(
        'simulate',
        'Show what a different policy would have credited. This changes nothing.',
        {
          options: [
            ...periodOptions(),
            new Option(
              '--file <file>',
              'policy as JSON: the settings, or only their attribution and pre_intent parts; - reads standard input',
            ).makeOptionMandatory(),
          ],
          examples: `partner-signals orgs settings show org_01h… > settings.json
          partner-signals attribution simulate --file settings.json --closed-after 2026-01-01`,
          get: async (client, { file, ...period }: Period & { file: string }) =>
            client.attribution.simulate({ policy: policyOf(await readJsonFile(file)), ...period }),
          lines: simulationLines,
        },
      ),
    ],
  });
}

async function creditOf(client: Client, wanted: string) {
  const { data: opportunity, meta } = await client.opportunities.get(await opportunityId(client, wanted));
  const records = [];
  for await (const record of client.attribution.list({ opportunity_id: opportunity.id, limit: 100 }))
    records.push(record);
  records.sort((a, b) => b.credited_value - a.credited_value);
  return { data: { deal: opportunity, records }, meta };
}

/** An exact CRM ID or name wins even if other deals begin with it. */
async function opportunityId(client: Client, wanted: string): Promise<string> {
  if (wanted.startsWith('opp_')) return wanted;
  const { data: found } = await client.opportunities.list({ q: wanted, limit: 100 }).page();
  const exact = found.filter(({ crm_id, name }) => crm_id === wanted || name === wanted);
  const [opportunity, another] = exact.length > 0 ? exact : found;
  if (!opportunity) throw usageError(`There is no deal with this CRM ID or name: ${wanted}`);
  if (another)
    throw usageError(
      `Several deals match: ${[opportunity, another].map(({ name, crm_id }) => `${name} (${crm_id})`).join(', ')}, … Use the CRM ID.`,
    );
  return opportunity.id;
}

function filterOptions(): Option[] {
  return [
    field('partner_id', '--partner <id>', 'only records of this partner'),
    new Option('--tier <tier>', 'only records at this tier').choices(tiers),
    ...periodOptions(),
  ];
}

function periodOptions(): Option[] {
  return [
    field('closed_after', '--closed-after <date>', 'only deals closed after this date'),
    field('closed_before', '--closed-before <date>', 'only deals closed before this date'),
  ];
}

/** Accepts whole settings or the policy alone. The service reports what is wrong with anything else. */
function policyOf(given: unknown): api.SimulateAttribution['policy'] {
  const document = given as (Partial<api.SettingsVersion> & api.Settings) | null;
  const settings = document?.settings ?? document;
  if (!settings?.signals) return settings as unknown as api.SimulateAttribution['policy'];
  return { attribution: settings.attribution, pre_intent: settings.signals.pre_intent };
}
