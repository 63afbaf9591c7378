import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { idsOf, lookForSuggestions, matchesOf } from '../matches/requests.ts';
import { type Cli, cliFor, lines } from './cli.ts';

/** Reports the skip: a test that is skipped silently proves nothing. */
const noTerminal = !String(spawnSync('script', ['--version']).stdout).includes('util-linux');
if (noTerminal)
  process.stderr.write('SKIPPED: reviews in a terminal, since script (util-linux) is not installed\n');

vi.setConfig({ testTimeout: 120_000 });

let service: TestService;
let org: TestOrganization;
let cli: Cli;

beforeAll(async () => {
  service = await startTestService();
  org = await service.organization();
  cli = await cliFor(service, org.key);
  const nowhere = { domain: null, country: 'GB' };
  await loadFacts(org, {
    partners: [{}],
    accounts: [
      { ...nowhere, name: 'Costbrook' },
      { ...nowhere, name: 'Ferngate' },
      { ...nowhere, name: 'Tallowmere' },
    ],
    partner_accounts: [
      { ...nowhere, external_id: 'l1', name: 'Costbrook Wholesale' },
      { ...nowhere, external_id: 'l2', name: 'Ferngate Shipping' },
      { ...nowhere, external_id: 'l3', name: 'Tallowmere Retail' },
    ],
  });
  await lookForSuggestions(service, org);
});
afterAll(async () => {
  await cli.close();
  await service.close();
});

test('suggestions are listed, decided, counted and reverted', async () => {
  const listed = await cli.run(['matches', 'suggestions']);
  expect(lines(listed.stdout)[0]).toMatch(
    /^SCORE {2}ACCOUNT {2,}PARTNER {2,}THEIR NAME {2,}COMPANY {2,}BECAUSE$/,
  );
  expect(listed.stdout).toContain('same words, plus “Wholesale”');
  const { partner, account } = await idsOf(org);
  const pair = ['--account', account('a1'), '--partner', partner, '--company', 'l1'];
  const made = await cli.json([
    'matches',
    'decide',
    'same',
    ...pair,
    '--note',
    'Same office',
    '--actor',
    'Ada',
  ]);
  expect(made).toMatchObject({ decision: 'same', note: 'Same office', decided_by: { actor: 'Ada' } });
  expect((await cli.run(['matches', 'decide', 'maybe', ...pair])).stderr).toContain(
    'Enter same or different as the decision.',
  );
  expect((await cli.run(['matches', 'decisions'])).stdout).toMatch(
    /Costbrook.*the same company.*current.*Ada/,
  );
  expect((await cli.run(['matches', 'show', made.id])).stdout).toContain('Costbrook Wholesale (l1)');
  const quality = await cli.run(['matches', 'quality']);
  expect(quality.stdout).toMatch(/^decision of a person +1 +0$/m);
  expect((await cli.run(['matches', 'revert', made.id])).code).toBe(0);
  expect(await matchesOf(org)).toEqual([]);
  await lookForSuggestions(service, org);
});

test('a review without a terminal says what to do instead', async () => {
  const { code, stderr } = await cli.run(['matches', 'review']);
  expect(code).toBe(2);
  expect(stderr).toContain('Run this in a terminal');
});

describe.skipIf(noTerminal)('a review in a terminal', () => {
  test('shows both companies, takes keys, and can undo', async () => {
    const child = spawn('script', ['-qec', cli.commandLine(['matches', 'review']), '/dev/null'], {
      cwd: cli.dir,
      env: { ...cli.env, TERM: 'xterm', SHELL: '/bin/sh' },
    });
    let seen = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      seen += text;
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    let read = 0;
    for (const keys of ['s', 'u', 'd', 'k', 'xs']) {
      while (!seen.includes('[q] quit', read)) {
        if (child.exitCode !== null) throw new Error(seen);
        await pause(10);
      }
      read = seen.indexOf('[q] quit', read) + 1;
      child.stdin.write(keys);
    }
    expect(await ended, seen).toBe(0);
    expect(seen).toMatch(/YOUR CRM.*PARTNER P1/);
    expect(seen).toContain('≠');
    expect(seen).toContain('3 left');
    expect(seen).toContain('Nothing left to review.');
    expect(seen).toContain('1 same, 1 different, 1 skipped.');
    const made = (await org.get('/v1/match_decisions')).body.data.map(
      (one: { decision: string; status: string }) => `${one.decision} ${one.status}`,
    );
    expect(made.slice(0, 3)).toEqual(['same current', 'different current', 'same reverted']);
  });
});
