import { mappable } from '../../../import/choices.ts';
import type { Clue } from '../../../import/convert.ts';
import type { Refusal } from '../../../import/rows.ts';
import type { Question, Seen, SeenStage, SeenValue } from '../../../import/survey.ts';
import { usageError } from '../../terminal/exit-codes.ts';
import { clean, textWidth } from '../../terminal/table.ts';
import { formatNumber } from '../../terminal/values.ts';

/** Each question with the flags that answer it, ready to copy. */
export function undecided(questions: Question[]): Error {
  const groups = new Map<string, [flag: string, note: string][]>();
  for (const question of questions) {
    const { title, flags } = explain(question);
    groups.set(title, [...(groups.get(title) ?? []), ...flags]);
  }
  const canRefuse = questions.some(({ about }) => ['sign', 'stage', 'value'].includes(about));
  return usageError(
    [
      'Nothing was sent. Add flags that answer these questions and run the command again:',
      ...[...groups].flatMap(([title, flags]) => ['', title, ...flagLines(flags)]),
      '',
      'In a terminal and without --yes, the importer asks you instead and remembers your answers.',
      ...(canRefuse ? ['--refuse-unknown imports the other rows and refuses these.'] : []),
    ].join('\n'),
  );
}

export function notTheColumn({ field, seen }: { field: string; seen: SeenValue[] }): Error {
  const examples = seen.slice(0, 3).map(({ text }) => `"${clean(text)}"`);
  return usageError(
    `Nothing was sent. ${field} must be ${mappable[field]?.takes}, but its column has more than ${seen.length} other values, such as ${examples.join(', ')}. Is it the right column? Choose another one with --map ${field}=…`,
  );
}

/** The same refusal, with the flags that would let the row pass. */
export function withFlags({ record, problems }: Refusal): Refusal {
  const explained = problems.map(({ clue, ...problem }) => ({
    ...problem,
    message: problem.message + flagsFor(problem.field, clue),
  }));
  return { record, problems: explained };
}

function flagsFor(field: string, clue: Clue | undefined): string {
  switch (clue?.about) {
    case 'dates':
      return '; use --dates dmy or --dates mdy';
    case 'decimal':
      return '; use --decimal point or --decimal comma';
    case 'currency':
      return `; use --set currency=${clue.currencies[0]}`;
    case 'choice':
      return field === 'stage'
        ? '; use --open-stage, --won-stage or --lost-stage'
        : `; map it with --map-value '${field}:…=…'`;
    default:
      return '';
  }
}

const maxLines = 50;

function flagLines(flags: [flag: string, note: string][]): string[] {
  const width = Math.max(...flags.map(([flag]) => textWidth(flag)));
  const lines = flags.map(([flag, note]) => `  ${flag}${' '.repeat(width - textWidth(flag))}  ${note}`);
  return lines.length <= maxLines
    ? lines
    : [...lines.slice(0, maxLines), `  … and ${formatNumber(lines.length - maxLines)} more`];
}

function explain(question: Question): { title: string; flags: [flag: string, note: string][] } {
  switch (question.about) {
    case 'dates':
      return {
        title: dateQuestion(question.seen, question.against),
        flags: [
          ['--dates dmy', 'day first: 01/02/2026 is 1 February'],
          ['--dates mdy', 'month first: 01/02/2026 is January 2'],
        ],
      };
    case 'decimal':
      return {
        title: decimalQuestion(question.seen),
        flags: [
          ['--decimal point', '1.234 is between 1 and 2'],
          ['--decimal comma', '1.234 is 1,234'],
        ],
      };
    case 'sign': {
      const { text, currencies } = question.seen;
      return {
        title: signQuestion(question.seen),
        flags: [
          [`--set currency=${currencies[0]}`, 'if all rows are in one currency'],
          [
            `--map-value ${quoted(`currency:${text}=${currencies[0]}`)}`,
            'if other rows are in other currencies',
          ],
          ['--map currency=…', 'if a column contains the currency'],
        ],
      };
    }
    case 'stage': {
      const stage = quoted(question.seen.text);
      return {
        title: 'Are deals in these stages open, won or lost?',
        flags: [[`--won-stage ${stage}`, `or --lost-stage or --open-stage: ${stageNote(question.seen)}`]],
      };
    }
    case 'value': {
      const { field, seen } = question;
      return {
        title: `What do these values of ${field} mean? Use ${mappable[field]?.takes}.`,
        flags: [[`--map-value ${quoted(`${field}:${seen.text}=…`)}`, whereSeen(seen)]],
      };
    }
  }
}

export function dateQuestion(seen: Seen, against: Seen | undefined): string {
  return against
    ? `Is the day or the month first in dates? ${seen.text} in line ${formatNumber(seen.line)} has the day first, but ${against.text} in line ${formatNumber(against.line)} has the month first. Rows that do not fit your answer are refused.`
    : `Is the day or the month first in dates? ${seen.text} in line ${formatNumber(seen.line)} can be either, and no other date in the file shows the order.`;
}

export function decimalQuestion({ text, line }: Seen): string {
  return `Is the point in ${text} (line ${formatNumber(line)}) a decimal point or a thousands separator?`;
}

export function signQuestion({ text, rows, line }: Seen): string {
  return `Which currency is ${text}? ${formatNumber(rows)} ${rows === 1 ? 'amount is' : 'amounts are'} written with it, first in line ${formatNumber(line)}.`;
}

export function stageNote({ rows, line, pastCloseDate }: SeenStage): string {
  const past = pastCloseDate > 0 ? `, ${formatNumber(pastCloseDate)} with a close date in the past` : '';
  return `${formatNumber(rows)} ${rows === 1 ? 'deal' : 'deals'}${past}, first in line ${formatNumber(line)}`;
}

export function whereSeen({ rows, line }: Seen): string {
  return `${formatNumber(rows)} ${rows === 1 ? 'row' : 'rows'}, first in line ${formatNumber(line)}`;
}

/** For a shell. */
function quoted(text: string): string {
  return `'${clean(text).replaceAll("'", "'\\''")}'`;
}
