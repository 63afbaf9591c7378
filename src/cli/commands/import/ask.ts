import { createInterface } from 'node:readline/promises';
import { type Choice, mappable, type ValueMap } from '../../../import/choices.ts';
import type { Conventions } from '../../../import/convert.ts';
import type { Question } from '../../../import/survey.ts';
import { CommandError } from '../../terminal/exit-codes.ts';
import { note } from '../../terminal/output.ts';
import { clean } from '../../terminal/table.ts';
import { inWords } from '../../terminal/words.ts';
import { explain, orderOf, stageNote, whereSeen } from './questions.ts';

export type Answers = Pick<Conventions, 'dates' | 'decimal'> & {
  /** With the values as spelled in the file. */
  values: ValueMap;
};

/** Asks in the terminal, one question after the other. */
export async function ask(questions: Question[]): Promise<Answers> {
  const answers: Answers = { values: {} };
  const prompt = createPrompt();
  try {
    for (const [index, question] of questions.entries()) {
      note(`\nQuestion ${index + 1} of ${questions.length}`);
      await answer(prompt, question, answers);
    }
  } finally {
    prompt.close();
  }
  return answers;
}

async function answer(prompt: Prompt, question: Question, answers: Answers): Promise<void> {
  const remember = (field: string, text: string, meaning: string | undefined) => {
    if (meaning !== undefined) answers.values[field] = { ...answers.values[field], [text]: meaning };
  };
  switch (question.about) {
    case 'dates':
      note(explain(question).title);
      answers.dates = await pick(prompt, { dmy: 'day first (31/01/2026)', mdy: 'month first (01/31/2026)' });
      return;
    case 'decimal':
      note(explain(question).title);
      answers.decimal = await pick(prompt, { point: 'a decimal point', comma: 'a thousands separator' });
      return;
    case 'sign': {
      note(explain(question).title);
      const { text, currencies } = question.seen;
      const hint = `Currency code, such as ${currencies.slice(0, 3).join(', ')}`;
      remember('currency', text, await code(prompt, hint, mappable.currency as Choice));
      return;
    }
    case 'stage':
      note(
        `Are deals in the stage "${clean(question.seen.text)}" open, won or lost? ${stageNote(question.seen)}.`,
      );
      return remember('stage', question.seen.text, await option(prompt, mappable.stage as Choice));
    case 'value': {
      const { field, seen } = question;
      const choice = mappable[field] as Choice;
      note(`What does ${field} "${clean(seen.text)}" mean? ${whereSeen(seen)}${orderOf(field)}.`);
      return remember(
        field,
        seen.text,
        choice.options
          ? await option(prompt, choice)
          : ((await code(prompt, `${capital(choice.takes)}; Enter leaves it empty`, choice, true)) ?? ''),
      );
    }
  }
}

/** One of the listed values, by number or name; undefined if the rows are to be refused. */
async function option(prompt: Prompt, { options = [], read }: Choice): Promise<string | undefined> {
  const isNumbered = options.some((value) => Number.isNaN(Number(value)));
  if (isNumbered) for (const [index, value] of options.entries()) note(`  ${index + 1}) ${inWords(value)}`);
  const hint = isNumbered ? 'Number or name' : options.join(', ');
  for (;;) {
    const text = await prompt.line(`${hint}; Enter refuses these rows: `);
    if (text === '') return undefined;
    const value = (isNumbered ? options[Number(text) - 1] : undefined) ?? read(text);
    if (value !== undefined) return String(value);
    note(`"${clean(text)}" is not one of them.`);
  }
}

async function pick<Value extends string>(prompt: Prompt, labels: Record<Value, string>): Promise<Value> {
  const values = Object.keys(labels) as Value[];
  for (const [index, value] of values.entries()) note(`  ${index + 1}) ${labels[value]}`);
  for (;;) {
    const value = values[['1', '2'].indexOf(await prompt.line('1 or 2: '))];
    if (value) return value;
  }
}

async function code(
  prompt: Prompt,
  hint: string,
  { read, takes }: Choice,
  mayBeEmpty = false,
): Promise<string | undefined> {
  for (;;) {
    const text = await prompt.line(`${hint}: `);
    if (text === '' && mayBeEmpty) return undefined;
    const value = text === '' ? undefined : read(text);
    if (value !== undefined) return String(value);
    note(`Enter ${takes}.`);
  }
}

type Prompt = ReturnType<typeof createPrompt>;

function createPrompt() {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Unlike `question`, this keeps lines that are typed ahead.
  const lines = terminal[Symbol.asyncIterator]();
  return {
    /** Ctrl-C and Ctrl-D end the import. */
    async line(question: string): Promise<string> {
      terminal.setPrompt(question);
      terminal.prompt();
      const next = await lines.next();
      if (next.done) throw new CommandError('Nothing was sent.');
      return next.value.trim();
    },
    close: () => terminal.close(),
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
