import { Command, Option } from 'commander';
import type { Signal, SignalDetail, SignalSummary } from '../client/types.ts';
import { type SignalState, type SignalType, signalStates, signalTypes } from '../vocabulary.ts';
import { type ClientConnection, connectClient, withClient } from './connection.ts';
import { usageError } from './exit-codes.ts';
import {
  type JsonOption,
  type ListOptions,
  screen,
  withExamples,
  withJson,
  withList,
  writeList,
  writeOne,
} from './output.ts';
import { type Column, createTable, formatRecord, type Style } from './table.ts';
import { dealValue, formatNumber, utc } from './values.ts';
import { inWords } from './words.ts';

type Filters = { type?: SignalType; state?: SignalState; partner?: string; account?: string };

export function signalsCommand(): Command {
  const list = new Command('list')
    .description('List signals, newest first.')
    .addOption(new Option('--type <type>', 'only signals of this type').choices(signalTypes))
    .addOption(new Option('--state <state>', 'only signals in this state').choices(signalStates))
    .option('--partner <id>', 'only signals for this partner')
    .option('--account <id>', 'only signals for this account')
    .action(
      async ({ type, state, partner, account, ...options }: Filters & ListOptions & ClientConnection) => {
        const client = await connectClient(options);
        await writeList(options, columns, (limit) =>
          client.signals.list({ type, state, partner_id: partner, account_id: account, limit }),
        );
      },
    );
  const show = new Command('show')
    .description('Show a signal: why it fired, what the partner did, and what happened since.')
    .argument('<id>', 'ID of the signal (sig_…)')
    .action(async (id: string, options: JsonOption & ClientConnection) => {
      const { data } = await (await connectClient(options)).signals.get(id);
      await writeOne(data, options, detail);
    });
  const set = new Command('set')
    .description('Change the state of a signal, add a note, or both.')
    .argument('<id>', 'ID of the signal (sig_…)')
    .addOption(new Option('--state <state>', 'new state').choices(signalStates))
    .option('--note <text>', 'note to add to the history')
    .action(
      async (
        id: string,
        { state, note, ...options }: { state?: SignalState; note?: string } & JsonOption & ClientConnection,
      ) => {
        if (state === undefined && note === undefined) throw usageError('Add --state, --note, or both.');
        const client = await connectClient(options);
        const { data } = await client.signals.change(id, {
          ...(state === undefined ? {} : { state }),
          ...(note === undefined ? {} : { note }),
        });
        await writeOne(data, options, detail);
      },
    );
  const summary = new Command('summary')
    .description('Count signals by type and state.')
    .action(async (options: JsonOption & ClientConnection) => {
      const { data } = await (await connectClient(options)).signals.summary();
      await writeOne(data, options, counts);
    });

  return withExamples(
    new Command('signals').description('See and work on signals: which partner can help on which deal.'),
    `partner-signals signals list --state new --limit 5
    partner-signals signals show sig_01h…
    partner-signals signals set sig_01h… --state in_progress`,
  )
    .addCommand(
      withExamples(
        withClient(withList(list)),
        `partner-signals signals list --state new --type co_sell
        partner-signals signals list --all --json | jq -r .account.name`,
      ),
    )
    .addCommand(withExamples(withClient(withJson(show)), 'partner-signals signals show sig_01h…'))
    .addCommand(
      withExamples(
        withClient(withJson(set)),
        'partner-signals signals set sig_01h… --state handled --note "Met them on Tuesday." --actor "Ada"',
      ),
    )
    .addCommand(withExamples(withClient(withJson(summary)), 'partner-signals signals summary'));
}

const stateStyles: Record<SignalState, Style> = {
  new: 'cyan',
  in_progress: 'yellow',
  handled: 'green',
  expired: 'dim',
};

const columns: Column<Signal>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'TYPE', value: ({ type }) => inWords(type) },
  { head: 'STATE', value: ({ state }) => inWords(state), style: ({ state }) => stateStyles[state] },
  { head: 'PARTNER', value: ({ partner }) => partner.name, shrink: true },
  { head: 'ACCOUNT', value: ({ account }) => account.name, shrink: true },
  { head: 'OPPORTUNITY', value: ({ opportunity }) => opportunity.name, shrink: true, optional: true },
  { head: 'VALUE', value: ({ opportunity }) => dealValue(opportunity), right: true, optional: true },
  { head: 'FIRED (UTC)', value: ({ fired_at }) => utc(fired_at), optional: true },
];

function detail(signal: SignalDetail): string {
  const { partner, account, opportunity } = signal;
  const counted = new Set(signal.reasons.flatMap(({ activity_ids }) => activity_ids));
  const activities = createTable<SignalDetail['activity_log'][number]>(
    [
      { head: 'WHEN (UTC)', value: ({ occurred_at }) => utc(occurred_at) },
      { head: 'KIND', value: ({ kind }) => inWords(kind) },
      { head: 'COUNTS', value: ({ id }) => (counted.has(id) ? 'yes' : 'no') },
      { head: 'WHAT', value: ({ summary }) => summary, shrink: true },
      { head: 'WHO', value: ({ actor }) => actor, shrink: true, optional: true },
    ],
    screen(),
  );
  const history = createTable<SignalDetail['history'][number]>(
    [
      { head: 'WHEN (UTC)', value: ({ changed_at }) => utc(changed_at) },
      { head: 'FROM', value: ({ from }) => inWords(from) },
      { head: 'TO', value: ({ to }) => inWords(to) },
      { head: 'BY', value: ({ changed_by: by }) => by.actor ?? by.key_name ?? 'the service', shrink: true },
      { head: 'NOTE', value: ({ note }) => note, shrink: true },
    ],
    screen(),
  );
  return [
    formatRecord([
      ['signal', signal.id],
      ['type', inWords(signal.type)],
      ['state', inWords(signal.state)],
      ['partner', `${partner.name} (${inWords(partner.type)}, ${partner.id})`],
      ['account', `${account.name} (${account.crm_id}, ${account.id})`],
      [
        'opportunity',
        [opportunity.name, dealValue(opportunity), opportunity.stage].filter(Boolean).join(', '),
      ],
      ['fired (UTC)', utc(signal.fired_at)],
      ['expires (UTC)', utc(signal.expires_at)],
      ['action', signal.recommended_action],
      ...signal.reasons.map((reason): [string, string] => ['because', reason.detail]),
    ]),
    ...(signal.activity_log.length > 0 ? ['', ...activities(signal.activity_log)] : []),
    ...(signal.history.length > 0 ? ['', ...history(signal.history)] : []),
  ].join('\n');
}

function counts({ by_type }: SignalSummary): string {
  return createTable<[string, Record<SignalState, number>]>(
    [
      { head: 'TYPE', value: ([type]) => inWords(type) },
      ...signalStates.map(
        (state): Column<[string, Record<SignalState, number>]> => ({
          head: inWords(state).toUpperCase(),
          value: ([, count]) => formatNumber(count[state]),
          right: true,
        }),
      ),
    ],
    screen(),
  )(Object.entries(by_type)).join('\n');
}
