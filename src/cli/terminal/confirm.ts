import { once } from 'node:events';
import { CommandError, usageError } from './exit-codes.ts';

export type YesOption = { yes?: boolean };

/** Asks before something that cannot be undone. Without a terminal, `--yes` is required. */
export async function confirm(question: string, { yes }: YesOption): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY)
    throw usageError(`${question} Add --yes to confirm; there is no terminal to ask in.`);
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-D closes it without an answer.
    const closed = once(prompt, 'close').then(() => '');
    const answer = await Promise.race([prompt.question(`${question} [y/N] `), closed]);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Cancelled. Nothing changed.');
  } finally {
    prompt.close();
  }
}
