import { Command, Option } from 'commander';
import type { Overlap, Partner, PartnerActivity, PartnerDetail } from '../client/types.ts';
import { type PartnerType, partnerTiers, partnerTypes } from '../vocabulary.ts';
import { type ClientConnection, connectClient, withClient } from './connection.ts';
import {
  type JsonOption,
  type ListOptions,
  withExamples,
  withJson,
  withList,
  writeList,
  writeOne,
} from './output.ts';
import { type Column, formatRecord } from './table.ts';
import { utc } from './values.ts';
import { inWords } from './words.ts';

export function partnersCommand(): Command {
  const list = new Command('list')
    .description('List partners by name.')
    .addOption(new Option('--type <type>', 'only partners of this type').choices(partnerTypes))
    .addOption(
      new Option('--tier <n>', 'only partners in this program tier').choices(partnerTiers.map(String)),
    )
    .action(
      async ({
        type,
        tier,
        ...options
      }: { type?: PartnerType; tier?: string } & ListOptions & ClientConnection) => {
        const client = await connectClient(options);
        await writeList(options, columns, (limit) =>
          client.partners.list({ type, tier: tier === undefined ? undefined : Number(tier), limit }),
        );
      },
    );
  const show = new Command('show')
    .description('Show a partner with its co-sell density score.')
    .argument('<id>', 'ID of the partner (prt_…)')
    .action(async (id: string, options: JsonOption & ClientConnection) => {
      const { data } = await (await connectClient(options)).partners.get(id);
      await writeOne(data, options, detail);
    });
  const activities = new Command('activities')
    .description("List a partner's activities, newest first.")
    .argument('<id>', 'ID of the partner (prt_…)')
    .action(async (id: string, options: ListOptions & ClientConnection) => {
      const client = await connectClient(options);
      await writeList(options, activityColumns, (limit) => client.partners.activities(id, { limit }));
    });
  const overlaps = new Command('overlaps')
    .description('List the accounts that you share with a partner, and what matched.')
    .argument('<id>', 'ID of the partner (prt_…)')
    .action(async (id: string, options: ListOptions & ClientConnection) => {
      const client = await connectClient(options);
      await writeList(options, overlapColumns, (limit) => client.partners.overlaps(id, { limit }));
    });

  return withExamples(
    new Command('partners').description('See partners, their activities and the accounts you share.'),
    `partner-signals partners list --tier 1
    partner-signals partners show prt_01h…
    partner-signals partners overlaps prt_01h…`,
  )
    .addCommand(withExamples(withClient(withList(list)), 'partner-signals partners list --type gsi --tier 1'))
    .addCommand(withExamples(withClient(withJson(show)), 'partner-signals partners show prt_01h…'))
    .addCommand(
      withExamples(
        withClient(withList(activities)),
        'partner-signals partners activities prt_01h… --limit 100',
      ),
    )
    .addCommand(
      withExamples(withClient(withList(overlaps)), 'partner-signals partners overlaps prt_01h… --all --json'),
    );
}

const columns: Column<Partner>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'NAME', value: ({ name }) => name, shrink: true },
  { head: 'TYPE', value: ({ type }) => inWords(type) },
  { head: 'TIER', value: ({ tier }) => tier, right: true },
];

const activityColumns: Column<PartnerActivity>[] = [
  { head: 'WHEN (UTC)', value: ({ occurred_at }) => utc(occurred_at) },
  { head: 'KIND', value: ({ kind }) => inWords(kind) },
  { head: 'ACCOUNT', value: ({ account }) => account.name, shrink: true },
  { head: 'WHAT', value: ({ summary }) => summary, shrink: true },
  { head: 'WHO', value: ({ actor }) => actor, shrink: true, optional: true },
];

const overlapColumns: Column<Overlap>[] = [
  { head: 'ACCOUNT', value: ({ account }) => account.name, shrink: true },
  { head: 'THEIR NAME', value: ({ partner_account }) => partner_account.name, shrink: true },
  { head: 'RELATIONSHIP', value: ({ partner_account }) => inWords(partner_account.relationship) },
  { head: 'MATCHED BY', value: ({ matched_by }) => inWords(matched_by) },
  { head: 'KEY', value: ({ key }) => key, shrink: true },
  { head: 'CONFIDENCE', value: ({ confidence }) => confidence, right: true },
  { head: 'MATCHED (UTC)', value: ({ matched_at }) => utc(matched_at), optional: true },
];

function detail(partner: PartnerDetail): string {
  const { co_sold_opportunities, shared_open_opportunities, window_days } = partner.co_sell_density;
  return formatRecord([
    ['partner', partner.id],
    ['name', partner.name],
    ['type', inWords(partner.type)],
    ['tier', partner.tier],
    ['domain', partner.domain],
    ['active signals', partner.active_signal_count],
    [
      'co-sell density',
      `${partner.co_sell_density_score} % (${co_sold_opportunities} of ${shared_open_opportunities} shared open opportunities, last ${window_days} days)`,
    ],
    ['created (UTC)', utc(partner.created_at)],
    ['updated (UTC)', utc(partner.updated_at)],
  ]);
}
