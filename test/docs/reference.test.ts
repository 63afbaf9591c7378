import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { clientMethods } from './reference/client-methods.ts';
import { commandLine } from './reference/command-line.ts';
import { policySettings } from './reference/policy-settings.ts';

test.each([
  { page: 'command-line', title: 'The command line', parts: commandLine },
  { page: 'client-methods', title: 'Methods of the typed client', parts: clientMethods },
  { page: 'policy-settings', title: 'Settings of the policy', parts: policySettings },
])('the generated page $page is up to date', async ({ page, title, parts }) => {
  const file = `docs/reference/${page}.md`;
  const made = '<!-- Generated from the code. To update it, run: UPDATE=1 npm test test/docs/reference -->';
  const text = `${[`# ${title}`, made, ...(await parts())].join('\n\n')}\n`;
  if (process.env.UPDATE) await writeFile(file, text);
  expect(await readFile(file, 'utf8'), 'update it: UPDATE=1 npm test test/docs/reference').toBe(text);
});
