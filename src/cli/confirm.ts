import { once } from 'node:events';
import { CommandError, usageError } from './exit-codes.ts';

export type YesOption = { yes?: boolean };

/** Asks before something that cannot be undone; where nobody can be asked, `--yes` must have been given. */
export async function confirm(question: string, { yes }: YesOption): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) throw usageError(`${question} There is nobody to ask here: give --yes.`);
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // The end of the input closes it without an answer.
    const closed = once(prompt, 'close').then(() => '');
    const answer = await Promise.race([prompt.question(`${question} [y/N] `), closed]);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was done.');
  } finally {
    prompt.close();
  }
}
