import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createDatabase } from '../harness.ts';
import { type Block, commandsOf, runGuide } from './guide.ts';

/** Most guides expect a running service. */
const start: Block = { line: 0, background: true, text: 'npm start' };

const docs = (await readdir('docs')).filter((name) => name.endsWith('.md'));
const files = ['README.md', ...docs.map((name) => `docs/${name}`)];
const guides = (
  await Promise.all(files.map(async (file) => ({ file, blocks: await commandsOf(file) })))
).filter(({ blocks }) => blocks.length > 0);

test('there are commands in the guides', () => {
  const names = ['quick-start', 'concepts', 'loading-data', 'webhooks', 'limits-and-errors', 'running'];
  expect(guides.map(({ file }) => file)).toEqual(
    expect.arrayContaining(names.map((name) => `docs/${name}.md`)),
  );
});

// These tests cannot run the command that runs them.
const isOurselves = ({ text }: Block) => text.trim() === 'npm test';

describe.each(guides)('$file', ({ file, blocks }) => {
  test('works as written', async () => {
    const starts = blocks.some(({ text }) => /\b(npm start|serve)$/m.test(text));
    const { code, output } = await runGuide(
      (starts ? blocks : [start, ...blocks]).filter((block) => !isOurselves(block)),
      await settingsOf(file),
    );
    expect(code, output).toBe(0);
  }, 400_000);
});

/** The settings that the text of a guide says the service was started with. */
async function settingsOf(file: string): Promise<Record<string, string>> {
  if (file === 'docs/running.md') return { DATABASE_URL: await createDatabase({ isEmpty: true }) };
  return file === 'docs/webhooks.md' ? { WEBHOOK_ALLOW_PRIVATE: 'true' } : {};
}
