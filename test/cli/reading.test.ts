import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { daysAgo, type ListedSignal, loadFacts, organizationWithOverlaps } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Cli, cliFor, lines } from './cli.ts';

let service: TestService;
let org: TestOrganization;
let signals: ListedSignal[];
let cli: Cli;

beforeAll(async () => {
  service = await startTestService();
  ({ org, signals } = await organizationWithOverlaps(service, 130));
  await loadFacts(org, {
    opportunities: [
      { status: 'won', name: 'Won together', value: 12_500, currency: 'EUR' },
      { status: 'won', name: 'Without currency', value: 700 },
      { name: 'Still open', value: 48_000, currency: 'SEK' },
    ],
    activities: [{ kind: 'referral', occurred_at: daysAgo(20) }],
  });
  cli = await cliFor(service, org.key);
});
afterAll(async () => {
  await cli.close();
  await service.close();
});

describe('lists', () => {
  test('a table has a heading and one aligned line each, and says on standard error that there is more', async () => {
    const { code, stdout, stderr } = await cli.run(['signals', 'list', '--limit', '3']);
    expect(code).toBe(0);
    const [head = '', ...rows] = lines(stdout);
    expect(head).toMatch(
      /^ID {2,}TYPE {2,}PRIORITY {2,}STATE {2,}PARTNER {2,}ACCOUNT {2,}OPPORTUNITY {2,}VALUE {2}FIRED \(UTC\)$/,
    );
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(row.indexOf('Partner p1')).toBe(head.indexOf('PARTNER'));
      expect(row).toMatch(/ \d{4}-\d{2}-\d{2} \d{2}:\d{2}$/);
    }
    expect(stderr).toBe('Showing the first 3. Use --all to show everything.\n');
  });

  test('--json prints one document per line, and --all reads every page', async () => {
    const { code, stdout, stderr } = await cli.run([
      'signals',
      'list',
      '--type',
      'overlap',
      '--all',
      '--json',
    ]);
    expect([code, stderr]).toEqual([0, '']);
    const listed = lines(stdout).map((line) => JSON.parse(line).id);
    expect(new Set(listed)).toEqual(new Set(signals.map(({ id }) => id)));
    expect(listed).toHaveLength(130);
  });

  test('a limit above the largest page is kept exactly', async () => {
    const { stdout } = await cli.run(['signals', 'list', '--limit', '105', '--json']);
    expect(lines(stdout)).toHaveLength(105);
  });

  test('filters narrow a list, and an empty one says so on standard error', async () => {
    const account = signals[0]?.account.id ?? '';
    const [byAccount, none] = await Promise.all([
      cli.run(['signals', 'list', '--type', 'overlap', '--account', account, '--json']),
      cli.run(['signals', 'list', '--state', 'handled']),
    ]);
    expect(lines(byAccount.stdout).map((line) => JSON.parse(line).account.id)).toEqual([account]);
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'No results.\n' });
  });

  test('a reader that stops early ends the command quietly', async () => {
    const running = cli.start(['signals', 'list', '--all', '--json']);
    running.child.stdout?.once('data', () => running.child.stdout?.destroy());
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('signals', () => {
  test('show says why, set changes state and note in the name of the actor, summary counts', async () => {
    const id = signals[1]?.id ?? '';
    const shown = await cli.run(['signals', 'show', id]);
    expect(shown.stdout).toContain('because');
    expect((await cli.run(['signals', 'list', '--type', 'co_sell'])).stdout).toMatch(
      /co-sell +\d+ +new +Partner p1 +Account a1 +Still open +48,000 SEK /,
    );
    expect(shown.stdout).toContain(id);
    expect(shown.stdout).toMatch(/priority +\d+: value of the deal \d+, .*, time left \d+/);
    const first = await cli.run(['signals', 'list', '--sort', 'priority', '--limit', '1', '--json']);
    const { priority } = JSON.parse(first.stdout.split('\n', 1)[0] ?? '');
    const least = ['signals', 'list', '--quiet', '--min-priority'];
    expect((await cli.run([...least, String(priority)])).stdout).toContain(JSON.parse(first.stdout).id);
    expect((await cli.run([...least, '101'])).stderr).toContain('from 0 to 100');

    const changed = await cli.json([
      ...['signals', 'set', id, '--state', 'handled', '--note', 'Met them.', '--actor', 'Ada'],
    ]);
    expect(changed).toMatchObject({
      state: 'handled',
      history: [{ to: 'handled', note: 'Met them.', changed_by: { actor: 'Ada' } }],
    });
    const [summary, counted] = await Promise.all([
      cli.json(['signals', 'summary']),
      cli.run(['signals', 'summary']),
    ]);
    expect(summary.by_type.overlap.handled).toBe(1);
    expect(counted.stdout).toMatch(/overlap +129 +0 +1 +0\n/);
  });

  test('show says why an activity does not count', async () => {
    const own = await service.organization();
    await loadFacts(own, {
      partners: [{}],
      accounts: [{}],
      opportunities: [
        { name: 'Renewal', value: 1_234.5, currency: 'EUR', opened_at: daysAgo(40) },
        { name: 'Extension', opened_at: daysAgo(30) },
      ],
      activities: [
        { kind: 'joint_meeting', occurred_at: daysAgo(3), opportunity_crm_id: 'o1', summary: 'Counts' },
        { kind: 'joint_meeting', occurred_at: daysAgo(2), opportunity_crm_id: 'o2', summary: 'Other deal' },
        { kind: 'joint_meeting', occurred_at: daysAgo(2), summary: 'No deal' },
        { kind: 'content_touch', occurred_at: daysAgo(2), summary: 'Download' },
        { kind: 'joint_meeting', occurred_at: daysAgo(300), opportunity_crm_id: 'o1', summary: 'Old' },
      ],
    });
    const { body } = await own.call('GET', '/v1/signals?type=co_sell');
    const { id } = body.data.find((signal: ListedSignal) => signal.opportunity.name === 'Renewal');
    const { stdout } = await cli.run(['signals', 'show', id, '--key', own.key]);
    expect(stdout).toContain('Renewal, 1,234.50 EUR, ');
    expect(stdout).toMatch(/ yes +Counts\b/);
    expect(stdout).toMatch(/ no +Other deal .* names another deal: Extension\n/);
    expect(stdout).toMatch(/ no +No deal .* names no deal, so it counts for the newest: Extension\n/);
    expect(stdout).toMatch(/ no +Download .* only co-sell and sourcing activities count\n/);
    expect(stdout).toMatch(/ no +Old .* too long ago\n/);
  });

  test('set assigns and dismisses with a reason, and restore takes that back', async () => {
    const id = signals[2]?.id ?? '';
    const assigned = await cli.run(['signals', 'set', id, '--assignee', 'Ada Moreau <ada@example.com>']);
    expect(assigned.stdout).toMatch(/assignee +Ada Moreau <ada@example\.com>/);
    expect(
      (await cli.run(['signals', 'list', '--quiet', '--assignee', 'ADA@example.com'])).stdout.trim(),
    ).toBe(id);
    expect((await cli.run(['signals', 'list', '--quiet', '--owner', 'ada@example.com'])).stdout).toBe('');
    expect((await cli.run(['signals', 'set', id, '--assignee', 'Ada'])).stderr).toContain(
      'Enter an e-mail address',
    );
    const dismissed = ['signals', 'set', id, '--state', 'expired', '--dismiss-reason', 'too_late'];
    expect((await cli.run(dismissed)).stdout).toMatch(/dismissed +too late/);
    expect((await cli.run(['signals', 'restore', id, '--note', 'Not too late'])).stdout).toMatch(
      /state +new/,
    );
    const none = await cli.run(['signals', 'set', id, '--assignee', 'none']);
    expect(none.stdout).not.toMatch(/assignee +Ada/);
    expect(none.stdout).toMatch(/nobody/);
  });
});

describe('partners', () => {
  test('list, show, activities and overlaps read for people and for programs', async () => {
    const [partner] = lines(
      (await cli.run(['partners', 'list', '--type', 'gsi', '--tier', '2', '--json'])).stdout,
    );
    const { id } = JSON.parse(partner ?? '');
    const [list, shown, activities, overlaps] = await Promise.all([
      cli.run(['partners', 'list']),
      cli.run(['partners', 'show', id]),
      cli.run(['partners', 'activities', id]),
      cli.run(['partners', 'overlaps', id, '--limit', '1', '--json']),
    ]);
    expect(list.stdout).toMatch(
      /^ID +NAME +TYPE +TIER\nprt_\S+ {2}Partner p1 +global systems integrator +2\n$/,
    );
    expect(shown.stdout).toContain('co-sell density');
    expect(activities.stdout).toContain('referral  Account a1  Met the buyer together');
    expect(JSON.parse(overlaps.stdout)).toMatchObject({ matched_by: 'domain' });
  });
});

describe('attribution', () => {
  test('a record is listed, shown, summed, disputed and resolved', async () => {
    const [record] = lines((await cli.run(['attribution', 'list', '--tier', 'sourced', '--json'])).stdout);
    const { id } = JSON.parse(record ?? '');
    const [list, shown, summary, later] = await Promise.all([
      cli.run(['attribution', 'list']),
      cli.run(['attribution', 'show', id]),
      cli.run(['attribution', 'summary']),
      cli.run(['attribution', 'list', '--closed-after', '2999-01-01']),
    ]);
    expect(list.stdout).toContain(' 12,500 EUR ');
    expect(list.stdout).toContain(' 700 (no currency) ');
    expect(shown.stdout).toMatch(/referral +sourced +yes/);
    expect(shown.stdout).toMatch(
      /opportunity +(Won together, 12,500 EUR|Without currency, 700 \(no currency\)), /,
    );
    // Each currency has its own total, and so do amounts without a currency.
    const [totals = ''] = summary.stdout.split('\n\n');
    expect(lines(totals).slice(1).sort()).toEqual([
      expect.stringMatching(/^all +EUR +1 +1 +12,500 +12,500 +12,500$/),
      expect.stringMatching(/^all +no currency +1 +1 +700 +700 +700$/),
    ]);
    expect(summary.stdout).toMatch(/PARTNER +CURRENCY[^\n]+\nPartner p1 /);
    expect(later.stderr).toBe('No results.\n');

    const opener = await cli.run(['keys', 'create', org.orgId, '--name', 'partner desk', '--quiet']);
    const dispute = await cli.json([
      ...['attribution', 'dispute', id, '--tier', 'influenced', '--justification', 'We knew them.'],
      ...['--key', opener.stdout.trim()],
    ]);
    expect(dispute.status).toBe('open');
    const resolved = await cli.run(['attribution', 'resolve', id, dispute.id, '--status', 'rejected']);
    expect(resolved.stdout).toMatch(/status +rejected/);
  });

  test('simulate takes a file of settings, or the policy alone, from a file or standard input', async () => {
    const { settings } = await cli.json(['orgs', 'settings', 'show', org.orgId]);
    const policy = { attribution: settings.attribution, pre_intent: settings.signals.pre_intent };
    policy.attribution.sourced.lookback_days = 1;
    await writeFile(join(cli.dir, 'settings.json'), JSON.stringify(settings));
    const [whole, alone] = await Promise.all([
      cli.run(['attribution', 'simulate', '--file', 'settings.json', '--json']),
      cli.run(['attribution', 'simulate', '--file', '-'], { input: JSON.stringify(policy) }),
    ]);
    expect(JSON.parse(whole.stdout)).toMatchObject({ deals: 2, changed: 2 });
    expect(alone.stdout).toMatch(/Partner p1 +Won together +12,500 EUR +sourced +influenced/);
  });
});

describe('events', () => {
  test('list reads the feed, and follow continues from its cursor file without repeating or missing events', async () => {
    const listed = lines((await cli.run(['events', 'list', '--all', '--json'])).stdout);
    const follow = ['events', 'follow', '--cursor-file', 'cursor', '--interval', '1', '--json'];
    const first = cli.start(follow);
    await expect.poll(() => lines(first.stdout()).length).toBe(listed.length);
    // The cursor is written after what it stands behind was printed.
    const left = async () => {
      const cursor = await readFile(join(cli.dir, 'cursor'), 'utf8').catch(() => '');
      return (await org.get(`/v1/events?cursor=${cursor.trim()}`)).body.data?.length;
    };
    await expect.poll(left).toBe(0);
    first.child.kill('SIGINT');
    await first.ended;

    await loadFacts(org, { accounts: [{ crm_id: 'late' }], partner_accounts: [{ domain: 'late.example' }] });
    const second = cli.start(follow);
    await expect.poll(() => second.stdout()).toContain('Account late');
    second.child.kill('SIGINT');
    const { stdout } = await second.ended;
    expect(lines(stdout).filter((line) => listed.includes(line))).toEqual([]);
  });
});

describe('accounts, deals and credit', () => {
  test('accounts and deals are found by what a person types', async () => {
    const accounts = await cli.run(['accounts', 'list', '--q', 'account a10', '--json']);
    expect(lines(accounts.stdout).map((line) => JSON.parse(line).crm_id)).toEqual([
      ...['a10', 'a100', 'a101', 'a102', 'a103', 'a104', 'a105', 'a106', 'a107', 'a108', 'a109'],
    ]);
    const opportunities = await cli.run(['opportunities', 'list', '--q', 'w', '--status', 'won']);
    expect(opportunities.stdout).toMatch(/^ID {2,}NAME {2,}ACCOUNT {2,}STATUS {2,}VALUE/);
    expect(lines(opportunities.stdout).slice(1)).toEqual([
      expect.stringMatching(/Without currency .*won +700 \(no currency\)/),
      expect.stringMatching(/Won together .*won +12,500 EUR/),
    ]);
    const [opportunity = ''] = lines(
      (await cli.run(['opportunities', 'list', '--q', 'won', '--quiet'])).stdout,
    );
    expect((await cli.run(['opportunities', 'show', opportunity])).stdout).toMatch(/^value +12,500 EUR$/m);
  });

  test('show-deal tells who is credited with how much, by CRM ID or name', async () => {
    for (const wanted of ['o1', 'Won together', 'won t']) {
      const { code, stdout } = await cli.run(['attribution', 'show-deal', wanted]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^PARTNER +TIER +STATUS +CREDITED/m);
      expect(stdout).toMatch(/^Partner p1 +\S+ +active +12,500 EUR/m);
    }
    const unknown = await cli.run(['attribution', 'show-deal', 'nothing']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('There is no deal')]);
    const several = await cli.run(['attribution', 'show-deal', 'w']);
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('Several deals match')]);
    expect((await cli.run(['attribution', 'show-deal', 'o3'])).stdout).toContain('No partner is credited');
  });

  test('partners are listed by what they are credited with', async () => {
    const { code, stdout, stderr } = await cli.run(['partners', 'list', '--sort', 'credited']);
    expect(code).toBe(0);
    expect(lines(stdout).slice(1)).toEqual([
      expect.stringMatching(/Partner p1 .* 12,500 EUR +1$/),
      expect.stringMatching(/Partner p1 .* 700 \(no currency\) +1$/),
    ]);
    expect(stderr).toContain('set a reporting currency');
  });

  test('settings are shown and saved', async () => {
    const { stdout } = await cli.run(['settings', 'show']);
    await writeFile(
      join(cli.dir, 'own.json'),
      stdout.replace('"reporting_currency": null', '"reporting_currency": "EUR"'),
    );
    expect((await cli.run(['settings', 'set', '--file', 'own.json'])).stdout).toBe('Saved as version 2.\n');
    const summary = await cli.run(['attribution', 'summary']);
    expect(summary.stdout).toContain('Converted to EUR at the exchange rates of the closing dates:');
    expect(summary.stdout).toContain('Not converted, because there is no exchange rate: 1 deal.');
    const credited = await cli.run(['partners', 'list', '--sort', 'credited']);
    expect(lines(credited.stdout).slice(1)).toEqual([expect.stringMatching(/ 12,500 EUR +1$/)]);
    expect(credited.stderr).toContain('Some deals are not included');
  });
});

describe('--csv', () => {
  test('prints a whole list for a spreadsheet', async () => {
    const { code, stdout, stderr } = await cli.run(['signals', 'list', '--type', 'overlap', '--csv']);
    expect([code, stderr]).toEqual([0, '']);
    const [head, ...rows] = stdout.trimEnd().split('\r\n');
    expect(head).toMatch(/^id,type,state,partner\.id,/);
    const ids = rows.map((row) => row.split(',', 1)[0]);
    expect(ids).toEqual(expect.arrayContaining(signals.map(({ id }) => id)));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('prints summaries', async () => {
    const counts = await cli.run(['signals', 'summary', '--csv']);
    expect(counts.stdout).toMatch(/^type,state,count\r\nco_sell,new,\d+\r\n/);
    const totals = await cli.run(['attribution', 'summary', '--csv']);
    expect(totals.stdout).toMatch(/^by,converted,partner\.id,.*credited_value\r\nall,false,/);
  });

  test('goes with no other form of output', async () => {
    const { code, stderr } = await cli.run(['signals', 'list', '--csv', '--json']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--csv')]);
    expect((await cli.run(['partners', 'list', '--sort', 'credited', '--csv'])).code).toBe(2);
  });
});
