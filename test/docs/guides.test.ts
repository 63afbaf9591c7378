import { describe, expect, test } from 'vitest';
import { createDatabase } from '../harness.ts';
import { type Block, commandsOf, runGuide } from './guide.ts';
import { pages } from './pages.ts';

/** Most guides expect a running service. */
const start: Block = { line: 0, background: true, text: 'npm start' };

const guides = (
  await Promise.all(pages.map(async (file) => ({ file, blocks: await commandsOf(file) })))
).filter(({ blocks }) => blocks.length > 0);

test('there are commands in the guides', () => {
  expect(guides.map(({ file }) => file)).toEqual(
    expect.arrayContaining([
      'README.md',
      'docs/guides/loading-data.md',
      'docs/guides/webhooks.md',
      'docs/operate/running.md',
      'docs/reference/limits-and-errors.md',
      'docs/start/quick-start.md',
      'docs/understand/concepts.md',
    ]),
  );
});

// These tests cannot run the command that runs them.
const isOurselves = ({ text }: Block) => text.trim() === 'npm test';

/** What a reader must find in the output: the three questions of a working day, answered by the demo. */
const answers: Record<string, RegExp[]> = {
  'docs/start/quick-start.md': [
    // Three deals stand out, each with the partner to call.
    /PRIORITY.*PARTNER.*ACCOUNT.*VALUE.*\n(sig_\S+ +co-sell +[89]\d +new +\S.*(EUR|USD) .*\n){3}/,
    // Partners are compared in one currency.
    /CREDITED +DEALS\n(prt_.* [\d,.]+ EUR +\d+\n){5}/,
    // A deal says who is credited, at which tier and with how much.
    /^PARTNER +TIER +STATUS +CREDITED.*\n.*(sourced|co-sell|influenced) +active +[\d,.]+ (EUR|USD) /m,
  ],
};

describe.each(guides)('$file', ({ file, blocks }) => {
  test('works as written', async () => {
    const starts = blocks.some(({ text }) => /\b(npm start|serve)$/m.test(text));
    const { code, output } = await runGuide(
      (starts ? blocks : [start, ...blocks]).filter((block) => !isOurselves(block)),
      await settingsOf(file),
    );
    expect(code, output).toBe(0);
    for (const answer of answers[file] ?? []) expect(output).toMatch(answer);
  }, 400_000);
});

/** The settings that the text of a guide says the service was started with. */
async function settingsOf(file: string): Promise<Record<string, string>> {
  if (file === 'docs/operate/running.md') return { DATABASE_URL: await createDatabase({ isEmpty: true }) };
  return file === 'docs/guides/webhooks.md' ? { WEBHOOK_ALLOW_PRIVATE: 'true' } : {};
}
