import { type Command, InvalidArgumentError, Option } from 'commander';
import type {
  MatchDecision,
  MatchDecisionDetail,
  MatchQuality,
  MatchSuggestion,
} from '../../client/types.ts';
import { matchDecisions, type MatchDecision as Verdict } from '../../vocabulary.ts';
import { clientCommands, group } from '../commands.ts';
import { connectClient } from '../connection.ts';
import { usageError } from '../terminal/exit-codes.ts';
import { note, tableBelow, tableOf } from '../terminal/output.ts';
import { type Column, formatRecord } from '../terminal/table.ts';
import { formatNumber, utc } from '../terminal/values.ts';
import { inWords } from '../terminal/words.ts';
import { type Filters, review } from './matches-review.ts';

type Decide = { account: string; partner: string; company: string; note?: string };

const filters = () => [
  new Option('--partner <id>', 'only this partner'),
  new Option('--account <id>', 'only this account'),
];
const minScore = () =>
  new Option('--min-score <score>', 'only suggestions with at least this score, 0 to 1').argParser(readScore);

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
        rows: (client, { partner, account, minScore, limit }: Filters & { limit: number }) =>
          client.matches.suggestions({
            partner_id: partner,
            account_id: account,
            min_score: minScore,
            limit,
          }),
      }),
      clientCommands.one('decide', 'Say whether an account and a company of a partner are the same.', {
        arguments: { '<decision>': 'same or different' },
        options: [
          new Option('--account <id>', 'ID of the account (acc_…)').makeOptionMandatory(),
          new Option('--partner <id>', 'ID of the partner (prt_…)').makeOptionMandatory(),
          new Option('--company <id>', "the company's ID in the partner's data").makeOptionMandatory(),
          new Option('--note <text>', 'why, for whoever reads it later'),
        ],
        examples: `partner-signals matches decide same --account acc_01h… --partner prt_01h… --company zc-4471
        partner-signals matches decide different --account acc_01h… --partner prt_01h… --company zc-4471 --note "Other country"`,
        get: (client, { account, partner, company, note }: Decide, verdict) =>
          client.matches.decide({
            account_id: account,
            partner_id: partner,
            partner_account_external_id: company,
            decision: readVerdict(verdict),
            ...(note !== undefined && { note }),
          }),
        lines: detail,
      }),
      clientCommands.list('decisions', 'List what people decided, newest first.', {
        options: [
          ...filters(),
          new Option('--decision <decision>', 'only decisions that say this').choices(matchDecisions),
        ],
        examples: 'partner-signals matches decisions --decision different',
        columns: decisionColumns,
        rows: (client, options: Filters & { decision?: Verdict; limit: number }) => {
          const { partner, account, decision, limit } = options;
          return client.matches.decisions({ partner_id: partner, account_id: account, decision, limit });
        },
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

function readVerdict(text: string | undefined): Verdict {
  const verdict = matchDecisions.find((one) => one === text);
  if (!verdict) throw usageError(`Enter ${matchDecisions.join(' or ')} as the decision.`);
  return verdict;
}

const suggestionColumns: Column<MatchSuggestion>[] = [
  { head: 'SCORE', value: ({ score }) => score.toFixed(2), right: true },
  { head: 'ACCOUNT', value: ({ account }) => account.name, shrink: true },
  { head: 'PARTNER', value: ({ partner }) => partner.name, shrink: true },
  { head: 'THEIR NAME', value: ({ partner_account }) => partner_account.name, shrink: true },
  { head: 'COMPANY', value: ({ partner_account }) => partner_account.external_id, shrink: true },
  { head: 'BECAUSE', value: ({ reasons }) => reasons.join('; '), shrink: true, optional: true },
];

const saidColumns: Column<Omit<MatchDecisionDetail['history'][number], 'id'>>[] = [
  { head: 'DECISION', value: ({ decision }) => inWords(decision) },
  { head: 'STATUS', value: ({ status }) => inWords(status) },
  { head: 'BY', value: ({ decided_by: by }) => by.actor ?? by.key_name, shrink: true },
  { head: 'WHEN (UTC)', value: ({ decided_at }) => utc(decided_at) },
  { head: 'NOTE', value: ({ note }) => note, shrink: true, optional: true },
];

const decisionColumns: Column<MatchDecision>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'ACCOUNT', value: ({ account }) => account.name, shrink: true },
  { head: 'PARTNER', value: ({ partner }) => partner.name, shrink: true },
  { head: 'THEIR NAME', value: ({ partner_account }) => partner_account.name, shrink: true },
  ...saidColumns,
];

function detail(decision: MatchDecisionDetail): string {
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

function quality({ kinds, suggestions }: MatchQuality): string {
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
