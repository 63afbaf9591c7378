import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cli, createCli } from './cli.ts';

let cli: Cli;

beforeAll(async () => {
  cli = await createCli();
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await cli.run(['completion', shell]);
    expect(code).toBe(0);
    writeFileSync(join(cli.dir, `script.${shell}`), stdout);
  }
});
afterAll(() => cli.close());

/** Reports the skip: a test that is skipped silently proves nothing. */
function missing(shell: string): boolean {
  if (spawnSync(shell, ['-c', 'true']).status === 0) return false;
  process.stderr.write(`SKIPPED: completion in ${shell}, which is not installed\n`);
  return true;
}
const script = (shell: string) => join(cli.dir, `script.${shell}`);

/** What the shell offers for a line that ends in the last word. */
const offers: [words: string[], offered: string[]][] = [
  [['sig'], ['signals']],
  [['signals', 'l'], ['list']],
  [
    ['orgs', 'settings', 's'],
    ['set', 'show'],
  ],
  [
    ['signals', 'list', '--state', ''],
    ['expired', 'handled', 'in_progress', 'new'],
  ],
  [['signals', 'list', '--st'], ['--state']],
  [
    ['completion', ''],
    ['bash', 'fish', 'zsh'],
  ],
];

describe('completion', () => {
  test.skipIf(missing('bash'))('bash accepts its script and offers commands, options and values', () => {
    execFileSync('bash', ['-n', script('bash')]);
    for (const [words, offered] of offers) {
      const line = ['partner-signals', ...words].map((word) => `'${word}'`).join(' ');
      const program = `source '${script('bash')}'; COMP_WORDS=(${line}); COMP_CWORD=${words.length}
        _partner_signals; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const given = execFileSync('bash', ['--norc', '-c', program]).toString().trim().split('\n');
      expect(given.filter((word) => words.at(-1) || !word.startsWith('-')).sort()).toEqual(offered);
    }
  });

  test.skipIf(missing('zsh'))('zsh accepts its script', () => {
    execFileSync('zsh', ['-f', '-n', script('zsh')]);
  });

  test.skipIf(missing('fish'))('fish accepts its script and offers commands, options and values', () => {
    execFileSync('fish', ['-n', script('fish')]);
    for (const [words, offered] of offers) {
      const program = `source '${script('fish')}'; complete -C 'partner-signals ${words.join(' ')}'`;
      const given = execFileSync('fish', ['--no-config', '-c', program], {
        env: { ...process.env, HOME: cli.dir },
      });
      const names = given
        .toString()
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0]);
      expect(names.sort()).toEqual(offered);
    }
  });

  test('any other shell is a usage error', async () => {
    expect(await cli.run(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
  });
});
