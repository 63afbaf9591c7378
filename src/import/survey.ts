import { rowErrors } from '../contract/row-errors.ts';
import type { DecimalSign } from './amounts.ts';
import { mappable, valueKey } from './choices.ts';
import { fieldsOf } from './columns.ts';
import type { Clue, Conventions } from './convert.ts';
import type { DateOrder } from './dates.ts';
import type { SourceRecord } from './record.ts';
import { type Made, type Reading, toRow } from './rows.ts';

/** How often something occurs in the file, and where first. */
export type Seen = { rows: number; line: number; text: string };
export type SeenValue = Seen & { becomes?: unknown };
export type SeenStage = Seen & { status: string | undefined; pastCloseDate: number };
type SeenSign = Seen & { currencies: string[] };
/** What points one way, what points the other, and what can be either. */
type Evidence<Way extends string> = Partial<Record<Way | 'unclear', Seen>>;

/** What the whole file shows before any of it is sent. Its size does not depend on the number of rows. */
export type Survey = {
  rows: number;
  /** By field: the values that were understood, and those that were not. */
  known: Map<string, Values<SeenValue>>;
  unknown: Map<string, Values<SeenValue>>;
  stages: Values<SeenStage>;
  signs: Values<SeenSign>;
  dates: Evidence<DateOrder>;
  decimal: Evidence<DecimalSign>;
  currencies: Map<string, number>;
  withoutCurrency: number;
  withoutAmount: number;
  /** Rows whose domain belongs to many companies, such as an address of a free e-mail provider. */
  sharedDomains?: Seen;
};

const maxDistinct = 200;
/** A longer text is not a value from a list. */
const maxValueLength = 100;

/** Distinct values, the most frequent first. `others` counts rows beyond what is kept. */
export type Values<T extends Seen> = { byKey: Map<string, T>; others: number };

export function valuesOf<T extends Seen>(values: Values<T> | undefined): T[] {
  return [...(values?.byKey.values() ?? [])].sort((a, b) => b.rows - a.rows);
}

export function createSurvey(
  reading: Reading,
  today: string,
  isShared: (domain: string) => boolean = () => false,
) {
  const survey: Survey = {
    rows: 0,
    known: new Map(),
    unknown: new Map(),
    stages: { byKey: new Map(), others: 0 },
    signs: { byKey: new Map(), others: 0 },
    dates: {},
    decimal: {},
    currencies: new Map(),
    withoutCurrency: 0,
    withoutAmount: 0,
  };

  function see(record: SourceRecord): void {
    survey.rows++;
    const made = toRow(reading, record);
    for (const { field, clue } of made.clues) take(field, clue, record.line);
    const { domain } = made.row;
    if (typeof domain === 'string' && isShared(domain)) {
      survey.sharedDomains ??= structuredClone({ rows: 0, line: record.line, text: domain });
      survey.sharedDomains.rows++;
    }
    if (reading.kind === 'opportunities' && made.row.crm_id !== undefined && made.row.deleted !== true)
      seeOpportunity(made, record.line);
  }

  function take(field: string, clue: Clue, line: number): void {
    switch (clue.about) {
      case 'choice': {
        const side = clue.becomes === undefined ? survey.unknown : survey.known;
        const values = side.get(field) ?? { byKey: new Map(), others: 0 };
        side.set(field, values);
        count(values, valueKey(clue.text), { text: clue.text, line, becomes: clue.becomes });
        return;
      }
      case 'dates':
        addEvidence(survey.dates, clue.shows, clue.text, line);
        return;
      case 'decimal':
        addEvidence(survey.decimal, clue.shows, clue.text, line);
        return;
      case 'currency':
        count(survey.signs, valueKey(clue.mark), { text: clue.mark, line, currencies: clue.currencies });
        return;
    }
  }

  function seeOpportunity({ row, problems, clues }: Made, line: number): void {
    const hasAmount = !clues.some(({ clue }) => clue.about === 'no amount');
    const hasCurrency = typeof row.currency === 'string' || clues.some(({ field }) => field === 'currency');
    if (typeof row.currency === 'string')
      survey.currencies.set(row.currency, (survey.currencies.get(row.currency) ?? 0) + 1);
    if (!(hasAmount && hasCurrency) && !isRefused(row, problems)) {
      if (!hasAmount) survey.withoutAmount++;
      if (!hasCurrency) survey.withoutCurrency++;
    }
    if (typeof row.stage !== 'string') return;
    const status = row.status as string | undefined;
    const stage = count(survey.stages, `${status} ${valueKey(row.stage)}`, {
      text: row.stage,
      line,
      status,
      pastCloseDate: 0,
    });
    if (stage && typeof row.closed_date === 'string' && row.closed_date < today) stage.pastCloseDate++;
  }

  return { survey, see };
}

/** A problem with a clue is a question, whose answer can save the row. An amount that cannot be read hides its currency. */
function isRefused(row: Made['row'], problems: Made['problems']): boolean {
  if (problems.length === 0) return rowErrors('opportunities', 'full', row) !== undefined;
  return problems.some(({ field, clue }) => clue === undefined || field === 'value');
}

function count<T extends Seen>(values: Values<T>, key: string, first: Omit<T, 'rows'>): T | undefined {
  const seen = values.byKey.get(key);
  if (seen) {
    seen.rows++;
    return seen;
  }
  if (values.byKey.size >= maxDistinct || first.text.length > maxValueLength) {
    values.others++;
    return undefined;
  }
  // Copies: part of a text would keep the whole chunk of the file in memory.
  const added = { ...structuredClone(first), rows: 1 } as unknown as T;
  values.byKey.set(structuredClone(key), added);
  return added;
}

function addEvidence<Way extends string>(
  evidence: Evidence<Way>,
  shows: Way | undefined,
  text: string,
  line: number,
): void {
  const way: Way | 'unclear' = shows ?? 'unclear';
  const seen: Seen | undefined = evidence[way];
  if (seen) seen.rows++;
  else evidence[way] = { rows: 1, line, text };
}

/** A question that only a person who knows the file can answer. */
export type Question =
  | { about: 'dates'; seen: Seen; against?: Seen }
  /** Amounts that show the decimal sign; both, or the question would be answered. */
  | { about: 'decimal'; seen: Seen; point: Seen | undefined; comma: Seen | undefined }
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
  const { unclear, point, comma } = decimal;
  if (!conventions.decimal && unclear) questions.push({ about: 'decimal', seen: unclear, point, comma });
  if (refuseUnknown) return questions;
  for (const seen of valuesOf(survey.signs)) questions.push({ about: 'sign', seen });
  for (const field of fieldsOf(kind))
    for (const seen of valuesOf(survey.unknown.get(field))) questions.push(questionOf(field, seen, survey));
  return questions;
}

/** The questions that stop an import without a terminal; the others only cost their rows. */
export function stopping(questions: Question[]): Question[] {
  return questions.filter((question) => question.about !== 'value' || !mappable[question.field]?.freeText);
}

/** A field whose column has too many unknown values to ask about: it is probably the wrong column. */
export function wrongColumn(
  { kind }: Reading,
  { unknown }: Survey,
): { field: string; seen: SeenValue[] } | undefined {
  const field = fieldsOf(kind).find(
    (name) => (unknown.get(name)?.others ?? 0) > 0 && !mappable[name]?.freeText,
  );
  return field === undefined ? undefined : { field, seen: valuesOf(unknown.get(field)) };
}

function questionOf(field: string, seen: SeenValue, { stages }: Survey): Question {
  const stage = field === 'stage' ? stages.byKey.get(`undefined ${valueKey(seen.text)}`) : undefined;
  return stage ? { about: 'stage', seen: stage } : { about: 'value', field, seen };
}
