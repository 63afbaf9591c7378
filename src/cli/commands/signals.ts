import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import type * as api from '../../client/types.ts';
import {
  activityKindTable,
  dismissReasons,
  endReasons,
  endReasonWords,
  pageLimits,
  priorityParts,
  priorityPartTable,
  restoredState,
  type SignalState,
  signalSorts,
  signalStates,
  signalTypes,
} from '../../vocabulary.ts';
import { clientCommands, group } from '../commands.ts';
import { tableBelow, tableOf } from '../terminal/output.ts';
import { type Column, formatRecord, type Style } from '../terminal/table.ts';
import { field, formatNumber, opportunityValue, utc, wholeNumber } from '../terminal/values.ts';
import { activityColumns, inWords, opportunityFields } from '../terminal/words.ts';
import { performanceLines } from './performance.ts';

const signalId = { '<id>': 'ID of the signal (sig_…)' };
type Assignee = NonNullable<api.ChangeSignal['assignee']> | 'none';
type Change = Omit<api.ChangeSignal, 'assignee'> & { assignee?: Assignee };

export function signalsCommand(): Command {
  return group('signals', 'See and work on signals: which partner can help on which deal.', {
    examples: `partner-signals signals list --state new --limit 5
    partner-signals signals show sig_01h…
    partner-signals signals set sig_01h… --state in_progress`,
    commands: [
      clientCommands.list('list', 'List signals, newest first or by priority.', {
        options: [
          new Option('--q <text>', 'only signals for accounts whose name, domain or CRM ID begins with this'),
          new Option('--type <type>', 'only signals of this type').choices(signalTypes),
          new Option('--state <state>', 'only signals in this state').choices(signalStates),
          field('end_reason', '--end-reason <reason>', 'only signals that ended for this reason').choices(
            endReasons,
          ),
          field('partner_id', '--partner <id>', 'only signals for this partner'),
          field('account_id', '--account <id>', 'only signals for this account'),
          new Option('--owner <email>', 'only signals with this owner of the deal or account'),
          new Option('--assignee <email>', 'only signals with this assignee'),
          new Option('--sort <order>', 'order of the list; priority lists active signals only').choices(
            signalSorts,
          ),
          field(
            'min_priority',
            '--min-priority <number>',
            'only active signals with at least this priority',
          ).argParser(wholeNumber(0, 100)),
        ],
        examples: `partner-signals signals list --sort priority --limit 3
        partner-signals signals list --state new --type co_sell
        partner-signals signals list --all --json | jq -r .account.name`,
        columns,
        rows: (client, query: api.SignalQuery) => client.signals.list(query),
      }),
      clientCommands.one(
        'show',
        'Show a signal: why it fired, what the partner did, and what happened since.',
        {
          arguments: signalId,
          examples: 'partner-signals signals show sig_01h…',
          get: (client, _, id) => client.signals.get(id),
          lines: detail,
        },
      ),
      clientCommands.one('set', 'Change the state of a signal, assign it or add a note.', {
        arguments: signalId,
        options: [
          new Option('--state <state>', 'new state').choices(signalStates),
          new Option('--note <text>', 'note to add to the history'),
          field('dismiss_reason', '--dismiss-reason <reason>', 'why, with --state expired').choices(
            dismissReasons,
          ),
          new Option('--assignee <person>', 'e-mail address, "Name <address>", or none').argParser(
            readAssignee,
          ),
        ],
        examples:
          'partner-signals signals set sig_01h… --state handled --note "Met them on Tuesday." --actor "Ada"',
        needs: 'Add --state, --assignee or --note.',
        get: (client, { assignee, ...change }: Change, id) =>
          client.signals.change(id, {
            ...change,
            ...(assignee && { assignee: assignee === 'none' ? null : assignee }),
          }),
        lines: detail,
      }),
      clientCommands.one('restore', 'Restore a dismissed signal.', {
        arguments: signalId,
        options: [new Option('--note <text>', 'note to add to the history')],
        examples: 'partner-signals signals restore sig_01h… --note "Dismissed by mistake."',
        get: (client, note: Pick<Change, 'note'>, id) =>
          client.signals.change(id, { state: restoredState, ...note }),
        lines: detail,
      }),
      clientCommands.one('summary', 'Count signals by type and state.', {
        examples: 'partner-signals signals summary',
        get: (client) => client.signals.summary(),
        csv: (client) => client.signals.summaryCsv(),
        lines: counts,
      }),
      clientCommands.one(
        'performance',
        'Show what became of the signals of a period: handled, dismissed, won.',
        {
          options: [
            field('fired_after', '--fired-after <date>', 'only signals that fired after this date'),
            field('fired_before', '--fired-before <date>', 'only signals that fired before this date'),
          ],
          examples: `partner-signals signals performance
        partner-signals signals performance --fired-after 2025-12-31 --fired-before 2026-04-01 --csv`,
          get: (client, period: api.SignalPerformanceQuery) => client.signals.performance(period),
          csv: (client, period: api.SignalPerformanceQuery) => client.signals.performanceCsv(period),
          lines: performanceLines,
        },
      ),
    ],
  });
}

function readAssignee(text: string): Assignee {
  if (text === 'none') return text;
  const [, name, email = text] = /^(.+?) *<(.+)>$/.exec(text) ?? [];
  if (!/^\S+@\S+$/.test(email))
    throw new InvalidArgumentError('Enter an e-mail address, "Name <address>", or none.');
  return { name: name ?? email, email };
}

const stateStyles: Record<SignalState, Style> = {
  new: 'cyan',
  in_progress: 'yellow',
  handled: 'green',
  expired: 'dim',
};

const columns: Column<api.Signal>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'TYPE', value: ({ type }) => inWords(type) },
  { head: 'PRIORITY', value: ({ priority }) => String(priority ?? ''), right: true },
  { head: 'STATE', value: ({ state }) => inWords(state), style: ({ state }) => stateStyles[state] },
  { head: 'PARTNER', value: ({ partner }) => partner.name, shrink: true },
  { head: 'ACCOUNT', value: ({ account }) => account.name, shrink: true },
  { head: 'OPPORTUNITY', value: ({ opportunity }) => opportunity.name, shrink: true, optional: true },
  { head: 'VALUE', value: ({ opportunity }) => opportunityValue(opportunity), right: true, optional: true },
  { head: 'FIRED (UTC)', value: ({ fired_at }) => utc(fired_at), optional: true },
];

const historyColumns: Column<api.SignalDetail['history'][number]>[] = [
  { head: 'WHEN (UTC)', value: ({ changed_at }) => utc(changed_at) },
  { head: 'FROM', value: ({ from }) => inWords(from) },
  { head: 'TO', value: ({ to }) => inWords(to) },
  { head: 'BY', value: ({ changed_by: by }) => by.actor ?? by.key_name ?? 'the service', shrink: true },
  { head: 'NOTE', value: ({ note }) => note, shrink: true },
  {
    head: 'ASSIGNED TO',
    value: ({ assignee }) => (assignee === null ? 'nobody' : person(assignee ?? null)),
    optional: true,
  },
];

async function detail(signal: api.SignalDetail, { opportunities }: Client): Promise<string> {
  const counted = new Set(signal.reasons.flatMap(({ activity_ids }) => activity_ids));
  const query = { account_id: signal.account.id, limit: pageLimits.most };
  const deals = signal.type === 'co_sell' ? (await opportunities.list(query).page()).data : [];
  const columns: Column<api.Activity>[] = [
    ...activityColumns<api.Activity>({ head: 'COUNTS', value: ({ id }) => (counted.has(id) ? 'yes' : 'no') }),
    {
      head: 'WHY NOT',
      value: (one) => (counted.has(one.id) ? '' : whyNot(one, signal, deals)),
      shrink: true,
    },
  ];
  return [
    formatRecord([
      ['signal', signal.id],
      ['type', inWords(signal.type)],
      ['state', inWords(signal.state)],
      signal.end_reason && ['ended', endReasonWords[signal.end_reason]],
      signal.dismiss_reason && ['dismissed', inWords(signal.dismiss_reason)],
      ...opportunityFields(signal),
      ['owner', person(signal.owner)],
      ['assignee', person(signal.assignee)],
      ['fired (UTC)', utc(signal.fired_at)],
      ['expires (UTC)', utc(signal.expires_at)],
      ['priority', priority(signal)],
      ['action', signal.recommended_action],
      ...signal.reasons.map((reason): [string, string] => ['because', reason.detail]),
    ]),
    ...tableBelow(columns, signal.activity_log),
    ...tableBelow(historyColumns, signal.history),
  ].join('\n');
}

/** Why an activity is no evidence for the signal, by the rules of its type. */
function whyNot(activity: api.Activity, signal: api.SignalDetail, deals: api.Opportunity[]): string {
  if (signal.type === 'overlap') return 'an overlap needs no activity';
  if (signal.type === 'co_sell') {
    if (activityKindTable[activity.kind].tier === 'influenced')
      return 'only co-sell and sourcing activities count';
    const { opportunity_id } = activity;
    const named = deals.find(({ id }) => id === opportunity_id);
    if (opportunity_id && opportunity_id !== signal.opportunity.id)
      return named ? `names another deal: ${named.name}` : 'names another deal';
    const [newest] = deals
      .filter(({ status }) => status === 'open')
      .toSorted((a, b) => ((a.opened_at ?? '') < (b.opened_at ?? '') ? 1 : -1));
    if (!opportunity_id && newest && newest.id !== signal.opportunity.id)
      return `names no deal, so it counts for the newest: ${newest.name}`;
  }
  const hasEnded = signal.end_reason !== null && activity.occurred_at > signal.fired_at;
  return hasEnded ? 'the signal had ended' : 'too long ago';
}

function person(one: api.Signal['owner']): string {
  return one ? `${one.name}${one.email && one.email !== one.name ? ` <${one.email}>` : ''}` : '';
}

/** `72: value of the deal 80, stage of the deal 75, …` */
function priority({ priority, priority_parts: parts }: api.SignalDetail): string {
  if (!parts) return '';
  return `${priority}: ${priorityParts.map((part) => `${priorityPartTable[part].words} ${parts[part]}`).join(', ')}`;
}

function counts({ by_type }: api.SignalSummary): string {
  const columns: Column<[string, Record<SignalState, number>]>[] = [
    { head: 'TYPE', value: ([type]) => inWords(type) },
  ];
  for (const state of signalStates)
    columns.push({
      head: inWords(state).toUpperCase(),
      value: ([, count]) => formatNumber(count[state]),
      right: true,
    });
  return tableOf(columns, Object.entries(by_type)).join('\n');
}
