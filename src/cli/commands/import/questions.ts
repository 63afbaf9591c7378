import { mappable } from '../../../import/choices.ts';
import type { Clue } from '../../../import/convert.ts';
import type { Refusal } from '../../../import/rows.ts';
import type { Question, Seen, SeenStage, SeenValue } from '../../../import/survey.ts';
import { usageError } from '../../terminal/exit-codes.ts';
import { clean, textWidth } from '../../terminal/table.ts';
import { counted, formatNumber } from '../../terminal/values.ts';

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
      if (clue.shows) return `; it does not fit --decimal ${clue.shows === 'point' ? 'comma' : 'point'}`;
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

export function explain(question: Question): { title: string; flags: [flag: string, note: string][] } {
  const { text } = question.seen;
  const line = `line ${formatNumber(question.seen.line)}`;
  switch (question.about) {
    case 'dates': {
      const { against } = question;
      const why = against
        ? `has the day first, but ${against.text} in line ${formatNumber(against.line)} has the month first. Rows that do not fit your answer are refused.`
        : 'can be either, and no other date in the file shows the order.';
      return {
        title: `Is the day or the month first in dates? ${text} in ${line} ${why}`,
        flags: [
          ['--dates dmy', 'day first: 01/02/2026 is 1 February'],
          ['--dates mdy', 'month first: 01/02/2026 is January 2'],
        ],
      };
    }
    case 'decimal': {
      const { point, comma } = question;
      const shows = (seen: Seen, sign: string) =>
        `${seen.text} in line ${formatNumber(seen.line)} has a decimal ${sign}`;
      const why =
        point && comma
          ? `The file has both: ${shows(point, 'point')}, and ${shows(comma, 'comma')}. Amounts that do not fit your answer are refused.`
          : 'No other amount in the file shows it.';
      return {
        title: `Is the point in ${text} (${line}) a decimal point or a thousands separator? ${why}`,
        flags: [
          ['--decimal point', '1.234 is between 1 and 2'],
          ['--decimal comma', '1.234 is 1,234'],
        ],
      };
    }
    case 'sign': {
      const { rows, currencies } = question.seen;
      return {
        title: `Which currency is ${text}? ${counted(rows, 'amount is', 'amounts are')} written with it, first in ${line}.`,
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
      const note = `or --lost-stage or --open-stage: ${stageNote(question.seen)}`;
      return {
        title: 'Are deals in these stages open, won or lost?',
        flags: [[`--won-stage ${quoted(text)}`, note]],
      };
    }
    case 'value': {
      const { field, seen } = question;
      return {
        title: `What do these values of ${field} mean? Use ${mappable[field]?.takes}${orderOf(field)}.`,
        flags: [[`--map-value ${quoted(`${field}:${text}=…`)}`, whereSeen(seen)]],
      };
    }
  }
}

/** Nobody can know the order of numbers from the numbers. */
export function orderOf(field: string): string {
  return field === 'tier' ? '; 1 is the highest' : '';
}

export function stageNote({ rows, line, pastCloseDate }: SeenStage): string {
  const past = pastCloseDate > 0 ? `, ${formatNumber(pastCloseDate)} with a close date in the past` : '';
  return `${counted(rows, 'deal')}${past}, first in line ${formatNumber(line)}`;
}

export function whereSeen({ rows, line }: Seen): string {
  return `${counted(rows, 'row')}, first in line ${formatNumber(line)}`;
}

/** For a shell. */
function quoted(text: string): string {
  return `'${clean(text).replaceAll("'", "'\\''")}'`;
}
