import { type Command, InvalidArgumentError, Option } from 'commander';
import type * as api from '../../client/types.ts';
import { type MatchDecision, matchDecisions } from '../../vocabulary.ts';
import { clientCommands, group } from '../commands.ts';
import { connectClient } from '../connection.ts';
import { usageError } from '../terminal/exit-codes.ts';
import { note, tableBelow, tableOf } from '../terminal/output.ts';
import { type Column, formatRecord } from '../terminal/table.ts';
import { field, formatNumber, utc } from '../terminal/values.ts';
import { inWords } from '../terminal/words.ts';
import { review } from './matches-review.ts';

const filters = () => [
  field('partner_id', '--partner <id>', 'only this partner'),
  field('account_id', '--account <id>', 'only this account'),
];
const minScore = () =>
  field('min_score', '--min-score <score>', 'only suggestions with at least this score, 0 to 1').argParser(
    readScore,
  );

export function matchesCommand(): Command {
  return group('matches', 'Review which companies are the same, and correct matches.', {
    examples: `partner-signals matches review
    partner-signals matches suggestions --min-score 0.8
    partner-signals matches quality`,
    commands: [
      clientCommands.command('review', 'Decide on suggestions one after the other, with the keyboard.', {
        options: [...filters(), minScore()],
        examples: `partner-signals matches review --actor "Ada"
        partner-signals matches review --partner prt_01h… --min-score 0.5`,
        run: review,
      }),
      clientCommands.list('suggestions', 'List pairs that may be the same company, best first.', {
        options: [...filters(), minScore()],
        examples: `partner-signals matches suggestions --partner prt_01h…
        partner-signals matches suggestions --all --csv > suggestions.csv`,
        columns: suggestionColumns,
        rows: (client, query: api.MatchSuggestionQuery) => client.matches.suggestions(query),
      }),
      clientCommands.one('decide', 'Say whether an account and a company of a partner are the same.', {
        arguments: { '<decision>': 'same or different' },
        options: [
          field('account_id', '--account <id>', 'ID of the account (acc_…)').makeOptionMandatory(),
          field('partner_id', '--partner <id>', 'ID of the partner (prt_…)').makeOptionMandatory(),
          field(
            'partner_account_external_id',
            '--company <id>',
            "the company's ID in the partner's data",
          ).makeOptionMandatory(),
          new Option('--note <text>', 'why, for whoever reads it later'),
        ],
        examples: `partner-signals matches decide same --account acc_01h… --partner prt_01h… --company zc-4471
        partner-signals matches decide different --account acc_01h… --partner prt_01h… --company zc-4471 --note "Other country"`,
        get: (client, pair: Omit<api.DecideMatch, 'decision'>, verdict) =>
          client.matches.decide({ ...pair, decision: readVerdict(verdict) }),
        lines: detail,
      }),
      clientCommands.list('decisions', 'List what people decided, newest first.', {
        options: [
          ...filters(),
          new Option('--decision <decision>', 'only decisions that say this').choices(matchDecisions),
        ],
        examples: 'partner-signals matches decisions --decision different',
        columns: decisionColumns,
        rows: (client, query: api.MatchDecisionQuery) => client.matches.decisions(query),
      }),
      clientCommands.one('show', 'Show a decision with the history of its pair.', {
        arguments: { '<id>': 'ID of the decision (mdc_…)' },
        examples: 'partner-signals matches show mdc_01h…',
        get: (client, _, id) => client.matches.decision(id),
        lines: detail,
      }),
      clientCommands.command('revert', 'Revert a decision. It stays in the history.', {
        arguments: { '<id>': 'ID of the decision (mdc_…)' },
        examples: 'partner-signals matches revert mdc_01h…',
        run: async (options, id = '') => {
          await (await connectClient(options)).matches.revert(id);
          note('Reverted. The data alone decides again whether the two match.');
        },
      }),
      clientCommands.one('quality', 'Count matches and decisions by kind of match.', {
        examples: 'partner-signals matches quality',
        get: (client) => client.matches.quality(),
        csv: (client) => client.matches.qualityCsv(),
        lines: quality,
      }),
    ],
  });
}

function readScore(text: string): number {
  const score = Number(text);
  if (!/^[01](\.\d+)?$/.test(text) || score > 1)
    throw new InvalidArgumentError('Enter a number from 0 to 1.');
  return score;
}

function readVerdict(text: string | undefined): MatchDecision {
  const verdict = matchDecisions.find((one) => one === text);
  if (!verdict) throw usageError(`Enter ${matchDecisions.join(' or ')} as the decision.`);
  return verdict;
}

const suggestionColumns: Column<api.MatchSuggestion>[] = [
  { head: 'SCORE', value: ({ score }) => score.toFixed(2), right: true },
  { head: 'ACCOUNT', value: ({ account }) => account.name, shrink: true },
  { head: 'PARTNER', value: ({ partner }) => partner.name, shrink: true },
  { head: 'THEIR NAME', value: ({ partner_account }) => partner_account.name, shrink: true },
  { head: 'COMPANY', value: ({ partner_account }) => partner_account.external_id, shrink: true },
  { head: 'BECAUSE', value: ({ reasons }) => reasons.join('; '), shrink: true, optional: true },
];

const saidColumns: Column<Omit<api.MatchDecisionDetail['history'][number], 'id'>>[] = [
  { head: 'DECISION', value: ({ decision }) => inWords(decision) },
  { head: 'STATUS', value: ({ status }) => inWords(status) },
  { head: 'BY', value: ({ decided_by: by }) => by.actor ?? by.key_name, shrink: true },
  { head: 'WHEN (UTC)', value: ({ decided_at }) => utc(decided_at) },
  { head: 'NOTE', value: ({ note }) => note, shrink: true, optional: true },
];

const decisionColumns: Column<api.MatchDecision>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'ACCOUNT', value: ({ account }) => account.name, shrink: true },
  { head: 'PARTNER', value: ({ partner }) => partner.name, shrink: true },
  { head: 'THEIR NAME', value: ({ partner_account }) => partner_account.name, shrink: true },
  ...saidColumns,
];

function detail(decision: api.MatchDecisionDetail): string {
  const { account, partner, partner_account } = decision;
  return [
    formatRecord([
      ['decision', decision.id],
      ['says', inWords(decision.decision)],
      ['status', inWords(decision.status)],
      ['account', `${account.name} (${account.crm_id}, ${account.id})`],
      ['partner', `${partner.name} (${inWords(partner.type)}, ${partner.id})`],
      ['their name', `${partner_account.name} (${partner_account.external_id})`],
      ['matched by', inWords(decision.matched_by)],
      ['note', decision.note],
    ]),
    ...tableBelow(saidColumns, decision.history),
  ].join('\n');
}

function quality({ kinds, suggestions }: api.MatchQuality): string {
  const rows = [
    ...kinds.map(({ kind, ...counts }) => ({ name: inWords(kind), ...counts })),
    { name: 'suggestions', matches: suggestions.open, ...suggestions },
  ];
  const table = tableOf(
    [
      { head: 'KIND', value: ({ name }) => name },
      { head: 'NOW', value: ({ matches }) => formatNumber(matches), right: true },
      { head: 'DECISIONS', value: ({ decisions }) => formatNumber(decisions), right: true },
      {
        head: 'CONFIRMED',
        value: ({ confirmed_share: share }) => (share === null ? '' : `${(share * 100).toFixed(1)} %`),
        right: true,
      },
    ],
    rows,
  );
  const waiting = `${formatNumber(suggestions.waiting)} records are still being compared.`;
  return [...table, ...(suggestions.waiting > 0 ? ['', waiting] : [])].join('\n');
}
