import { mappable, valueKey } from '../../../import/choices.ts';
import { fieldsOf } from '../../../import/columns.ts';
import type { Conventions } from '../../../import/convert.ts';
import type { Reading } from '../../../import/rows.ts';
import {
  type Seen,
  type SeenSign,
  type SeenStage,
  type SeenValue,
  type Survey,
  valuesOf,
} from '../../../import/survey.ts';
import { usageError } from '../../terminal/exit-codes.ts';
import { clean, textWidth } from '../../terminal/table.ts';
import { formatNumber } from '../../terminal/values.ts';

/** A question that only a person who knows the file can answer. */
export type Question =
  | { about: 'dates' | 'decimal'; seen: Seen; against?: Seen }
  | { about: 'sign'; seen: SeenSign }
  | { about: 'stage'; seen: SeenStage }
  | { about: 'value'; field: string; seen: SeenValue };

/** Uses what the file itself shows: a single 10/24/2026 means that the month comes first in all dates. */
export function settle(conventions: Conventions, { dates, decimal }: Survey): Conventions {
  const { dmy, mdy } = dates;
  const { point, comma, unclear } = decimal;
  return {
    ...conventions,
    dates: conventions.dates ?? (dmy && mdy ? undefined : dmy ? 'dmy' : mdy ? 'mdy' : undefined),
    decimal:
      conventions.decimal ??
      (!unclear || (point && comma) ? undefined : point ? 'point' : comma ? 'comma' : undefined),
  };
}

export function openQuestions(
  { kind, conventions }: Reading,
  survey: Survey,
  refuseUnknown: boolean | undefined,
): Question[] {
  const { dates, decimal } = survey;
  const questions: Question[] = [];
  if (!conventions.dates && dates.dmy && dates.mdy)
    questions.push({ about: 'dates', seen: dates.dmy, against: dates.mdy });
  else if (!conventions.dates && dates.unclear) questions.push({ about: 'dates', seen: dates.unclear });
  if (!conventions.decimal && decimal.unclear) questions.push({ about: 'decimal', seen: decimal.unclear });
  if (refuseUnknown) return questions;
  for (const seen of valuesOf(survey.signs)) questions.push({ about: 'sign', seen });
  for (const field of fieldsOf(kind)) {
    const values = survey.unknown.get(field);
    if (values && values.others > 0 && !mappable[field]?.freeText) throw wrongColumn(field, valuesOf(values));
    for (const seen of valuesOf(values)) questions.push(questionOf(field, seen, survey));
  }
  return questions;
}

/** The questions that stop an import without a terminal; the others only cost their rows. */
export function stopping(questions: Question[]): Question[] {
  return questions.filter((question) => question.about !== 'value' || !mappable[question.field]?.freeText);
}

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

function questionOf(field: string, seen: SeenValue, { stages }: Survey): Question {
  const stage = field === 'stage' ? stages.byKey.get(`undefined ${valueKey(seen.text)}`) : undefined;
  return stage ? { about: 'stage', seen: stage } : { about: 'value', field, seen };
}

function wrongColumn(field: string, seen: SeenValue[]): Error {
  const examples = seen.slice(0, 3).map(({ text }) => `"${clean(text)}"`);
  return usageError(
    `Nothing was sent. ${field} must be ${mappable[field]?.takes}, but its column has more than ${seen.length} other values, such as ${examples.join(', ')}. Is it the right column? Choose another one with --map ${field}=…`,
  );
}

/** For a shell. */
function quoted(text: string): string {
  return `'${clean(text).replaceAll("'", "'\\''")}'`;
}
