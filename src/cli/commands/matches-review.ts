import type { Client } from '../../client/client.ts';
import type { AccountDetail, MatchSuggestion, MatchSuggestionQuery } from '../../client/types.ts';
import { type ClientConnection, connectClient } from '../connection.ts';
import { usageError } from '../terminal/exit-codes.ts';
import { screen, writeLine } from '../terminal/output.ts';
import { clean, createTable, paint } from '../terminal/table.ts';
import { formatNumber } from '../terminal/values.ts';
import { inWords } from '../terminal/words.ts';

const verdicts = { s: 'same', d: 'different' } as const;
const help = '[s] same  [d] different  [k] skip  [u] undo  [q] quit';

/** The decision on a suggestion; null if it was skipped. */
type Done = { suggestion: MatchSuggestion; decision: { id: string; says: 'same' | 'different' } | null };

export async function review(options: MatchSuggestionQuery & ClientConnection): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw usageError(
      'Run this in a terminal: it waits for keys. In a script, use `matches suggestions` and `matches decide`.',
    );
  const client = await connectClient(options);
  const { partner_id, account_id, min_score } = options;
  const query = { partner_id, account_id, min_score };
  const left = Object.values(query).every((value) => value === undefined)
    ? (await client.matches.quality()).data.suggestions.open
    : null;
  const unseen = client.matches.suggestions({ ...query, limit: 100 })[Symbol.asyncIterator]();
  const again: MatchSuggestion[] = [];
  const done: Done[] = [];

  const keys = keysOf(process.stdin);
  try {
    for (;;) {
      const suggestion = again.pop() ?? (await unseen.next()).value;
      if (!suggestion) {
        await writeLine('Nothing left to review.');
        break;
      }
      await show(client, suggestion, left === null ? null : Math.max(1, left - done.length));
      const { value: key = 'q' } = await keys.next();
      if (key === 'q') break;
      if (key === 'u') again.push(suggestion, ...(await undo(client, done.pop())));
      else if (key === 'k') done.push({ suggestion, decision: null });
      else done.push({ suggestion, decision: await decide(client, suggestion, verdicts[key]) });
    }
  } finally {
    process.stdin.setRawMode(false);
    await keys.return(undefined);
  }
  const count = (says?: string) => formatNumber(done.filter((one) => one.decision?.says === says).length);
  await writeLine(`${count('same')} same, ${count('different')} different, ${count()} skipped.`);
}

async function decide(client: Client, suggestion: MatchSuggestion, says: 'same' | 'different') {
  const { data } = await client.matches.decide({
    account_id: suggestion.account.id,
    partner_id: suggestion.partner.id,
    partner_account_external_id: suggestion.partner_account.external_id,
    decision: says,
  });
  return { id: data.id, says };
}

/** Shows the last suggestion again and withdraws its decision. */
async function undo(client: Client, last: Done | undefined): Promise<MatchSuggestion[]> {
  if (!last) return [];
  if (last.decision) await client.matches.revert(last.decision.id);
  return [last.suggestion];
}

type Key = keyof typeof verdicts | 'k' | 'u' | 'q';

/** Keys pressed while the service responds count, too. */
async function* keysOf(terminal: NodeJS.ReadStream): AsyncGenerator<Key, undefined> {
  for await (const pressed of terminal.setRawMode(true).setEncoding('utf8')) {
    for (const character of String(pressed).toLowerCase()) {
      // Ctrl-C and Ctrl-D arrive as characters while keys are read one by one.
      if ('\x03\x04'.includes(character)) yield 'q';
      else if ('sdkuq'.includes(character)) yield character as Key;
    }
  }
}

async function show(client: Client, suggestion: MatchSuggestion, left: number | null): Promise<void> {
  const { partner, partner_account: theirs, score, reasons } = suggestion;
  const ours: AccountDetail = (await client.accounts.get(suggestion.account.id)).data;
  const { colour, width } = screen();
  const rows: { field: string; ours: string | null; theirs: string | null }[] = [
    { field: 'name', ours: ours.name, theirs: theirs.name },
    { field: 'domain', ours: [ours.domain, ...ours.extra_domains].join(' '), theirs: theirs.domain },
    { field: 'country', ours: ours.country, theirs: theirs.country },
    { field: 'ID', ours: ours.crm_id, theirs: theirs.external_id },
    { field: 'relationship', ours: null, theirs: inWords(theirs.relationship) },
  ];
  const differs = ({ field, ours, theirs }: (typeof rows)[number]) =>
    field !== 'ID' && Boolean(ours && theirs) && ours?.toLowerCase() !== theirs?.toLowerCase();
  const table = createTable<(typeof rows)[number]>(
    [
      { head: '', value: ({ field }) => field, style: () => 'dim' },
      { head: 'YOUR CRM', value: ({ ours }) => ours || '–', shrink: true },
      { head: '', value: (row) => (differs(row) ? '≠' : ''), style: () => 'yellow' },
      {
        head: partner.name.toUpperCase(),
        value: ({ theirs }) => theirs || '–',
        shrink: true,
        style: (row) => (differs(row) ? 'yellow' : undefined),
      },
    ],
    { colour, width },
  );
  const counts = left === null ? '' : `, ${formatNumber(left)} left`;
  await writeLine(
    [
      '',
      paint(`Score ${score.toFixed(2)}${counts}`, 'bold', colour),
      ...table(rows),
      `Because: ${clean(reasons.join('; '))}.`,
      help,
    ].join('\n'),
  );
}
