import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Cli, cliFor } from './cli.ts';

/** Reports the skip: a test that is skipped silently proves nothing. */
const noTerminal = !String(spawnSync('script', ['--version']).stdout).includes('util-linux');
if (noTerminal)
  process.stderr.write('SKIPPED: imports in a terminal, since script (util-linux) is not installed\n');

// A test starts the command up to ten times, and each start can take seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

let service: TestService;
let organization: TestOrganization;
let cli: Cli;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  organization = await service.organization();
  cli = await cliFor(service, organization.key);
  await loadFacts(organization, { accounts: [{}] });
  return () => cli.close();
});

const write = (name: string, text: string) => writeFile(join(cli.dir, name), text);
const remembered = async () =>
  JSON.parse(await readFile(join(cli.dir, 'partner-signals.values.json'), 'utf8'));
const rowsOf = async (sql: string) => (await service.pool.query(sql, [organization.orgId])).rows;

/** Answers each prompt when it appears, and resolves with everything that was on the screen. */
async function converse(args: string[], answers: [prompt: string, answer: string][]) {
  const command = cli.commandLine(['import', ...args]);
  const child: ChildProcessWithoutNullStreams = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: cli.dir,
    env: { ...cli.env, TERM: 'xterm', SHELL: '/bin/sh' },
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    screen += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let read = 0;
  for (const [prompt, answer] of answers) {
    while (!screen.includes(prompt, read)) {
      if (child.exitCode !== null) throw new Error(`ended before "${prompt}":\n${screen}`);
      await pause(10);
    }
    read = screen.indexOf(prompt, read) + prompt.length;
    child.stdin.write(answer);
  }
  return { code: await ended, screen };
}

describe.skipIf(noTerminal)('in a terminal', () => {
  const opportunities = [
    'crm_id,account_crm_id,name,opened_at,Stage,Amount,Close Date',
    'd1,a1,One,01/02/2026,Signed,"$5,000.00",2026-04-03',
    'd2,a1,Two,01/02/2026,Shelved,"EUR 7",',
    'd3,a1,Three,01/02/2026,Hm,8,',
    '',
  ].join('\n');

  test('asks about what a file leaves open, sends what was answered, and remembers it', async () => {
    await write('d.csv', opportunities);
    const first = await converse(
      ['opportunities', 'd.csv'],
      [
        ['1 or 2: ', '2\r'],
        ['Which currency is $?', 'dollars\r'],
        ['Enter a currency', 'usd\r'],
        ['stage "Signed"', 'nothing\r'],
        ['is not one of them', '2\r'],
        ['stage "Shelved"', 'lost\r'],
        ['stage "Hm"', '\r'],
        ['Import 3 rows from d.csv? [y/N]', 'y\r'],
      ],
    );
    expect(first.code, first.screen).toBe(3);
    expect(first.screen).toContain('1 deal, 1 with a close date in the past, first in line 2');
    expect(
      await rowsOf(
        'select crm_id, status, currency, opened_at::date::text as day from opportunities where org_id = $1 order by crm_id',
      ),
    ).toEqual([
      { crm_id: 'd1', status: 'won', currency: 'USD', day: '2026-01-02' },
      { crm_id: 'd2', status: 'lost', currency: 'EUR', day: '2026-01-02' },
    ]);
    expect(await remembered()).toEqual({ currency: { $: 'USD' }, stage: { Signed: 'won', Shelved: 'lost' } });

    const again = await cli.run([
      'import',
      'opportunities',
      'd.csv',
      '--yes',
      '--dates',
      'mdy',
      '--open-stage',
      'Hm',
    ]);
    expect(again, again.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 created, 0 updated, 2 unchanged'),
    });
    await rm(join(cli.dir, 'partner-signals.values.json'));
    expect((await cli.run(['import', 'opportunities', 'd.csv', '--yes', '--dates', 'mdy'])).code).toBe(2);
  });

  test('values are chosen by number or by name, and unknown countries can be left empty', async () => {
    await write('p.csv', 'external_id,name,type,tier\np1,One,Boutique,Gold\n');
    const partners = await converse(
      ['partners', 'p.csv'],
      [
        ['type "Boutique"', 'technology partner\r'],
        ['tier "Gold"', '2\r'],
        ['[y/N]', 'y\r'],
      ],
    );
    expect(partners.code, partners.screen).toBe(0);
    expect(partners.screen).toContain('4) global systems integrator');
    await write('a.csv', 'crm_id,name,country\nc1,One,Atlantis\n');
    const accounts = await converse(
      ['accounts', 'a.csv'],
      [
        ['country "Atlantis"', '\r'],
        ['[y/N]', 'y\r'],
      ],
    );
    expect(accounts.code, accounts.screen).toBe(0);
    expect(await remembered()).toEqual({
      type: { Boutique: 'technology_partner' },
      tier: { Gold: '2' },
      country: { Atlantis: '' },
    });
    expect(await rowsOf('select type, tier from partners where org_id = $1')).toEqual([
      { type: 'technology_partner', tier: 2 },
    ]);
  });

  test('Ctrl-C at a question, or No at the end, sends nothing', async () => {
    await write('d.csv', opportunities);
    const stopped = await converse(
      ['opportunities', 'd.csv', '--dates', 'mdy'],
      [['Which currency is $?', '\x03']],
    );
    expect(stopped.code).toBe(1);
    expect(stopped.screen).toContain('Nothing was sent.');
    expect(existsSync(join(cli.dir, 'partner-signals.values.json'))).toBe(false);
    const flags = ['--dates', 'mdy', '--set', 'currency=USD', '--refuse-unknown'];
    expect((await converse(['opportunities', 'd.csv', ...flags], [['[y/N]', 'n\r']])).code).toBe(1);
    expect(await rowsOf('select crm_id from opportunities where org_id = $1')).toEqual([]);
  });

  test('--yes does not ask', async () => {
    await write('d.csv', opportunities);
    const { code, screen } = await converse(['opportunities', 'd.csv', '--yes'], []);
    expect(code).toBe(2);
    expect(screen).toContain("--won-stage 'Signed'");
  });
});
