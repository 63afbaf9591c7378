import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Cli, cliFor } from './cli.ts';
import { interruptAfter } from './import-process.ts';

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
async function run(args: string[], input?: string): Promise<{ code: number | string; output: string }> {
  const { code, stdout, stderr } = await cli.run(['import', ...args], input === undefined ? {} : { input });
  return { code, output: stderr + stdout };
}
async function loaded(table: string, columns: string) {
  const key = { partners: 'external_id', partner_accounts: 'external_id', activities: 'external_id' }[table];
  const { rows } = await service.pool.query(
    `select ${columns} from ${table} where org_id = $1 order by ${key ?? 'crm_id'}`,
    [organization.orgId],
  );
  return rows;
}

const opportunityHeader = 'crm_id,account_crm_id,name,opened_at,Stage,Amount,Currency,Close Date';
const opportunities = (...rows: string[]) => [opportunityHeader, ...rows, ''].join('\n');
const opportunity = (
  id: number,
  cells: Partial<Record<'opened' | 'stage' | 'amount' | 'currency' | 'closed', string>>,
) =>
  [
    `d${id},a1,Deal ${id}`,
    cells.opened ?? '2026-01-05',
    cells.stage ?? 'Proposal',
    `"${cells.amount ?? '5'}"`,
    cells.currency ?? '',
    cells.closed ?? '',
  ].join(',');

describe('the currency in an amount', () => {
  test('is the currency of the deal, and deals without one are counted', async () => {
    await write(
      'd.csv',
      opportunities(
        opportunity(1, { amount: 'USD 443,000.00' }),
        opportunity(2, { amount: 'EUR 62,000.00' }),
        opportunity(3, { amount: '1.500,00 €' }),
        opportunity(4, { amount: '$5,000.00', currency: 'CAD' }),
        opportunity(5, { amount: '700' }),
        opportunity(6, { amount: '800' }),
      ),
    );
    const { code, output } = await run(['opportunities', 'd.csv']);
    expect(code, output).toBe(0);
    expect(output).toContain('Currencies: EUR 2 deals, USD 1 deal, CAD 1 deal.');
    expect(output).toContain('2 deals have no currency; they are totalled separately.');
    expect(await loaded('opportunities', 'value::float, currency')).toEqual([
      { value: 443_000, currency: 'USD' },
      { value: 62_000, currency: 'EUR' },
      { value: 1_500, currency: 'EUR' },
      { value: 5_000, currency: 'CAD' },
      { value: 700, currency: null },
      { value: 800, currency: null },
    ]);
  });

  test('stops the import before anything is sent if its sign can mean several currencies', async () => {
    await write(
      'd.csv',
      opportunities(
        opportunity(1, { amount: '5' }),
        opportunity(2, { amount: '$5' }),
        opportunity(3, { amount: '100 kr' }),
      ),
    );
    const stopped = await run(['opportunities', 'd.csv', '--yes']);
    expect(stopped.code).toBe(2);
    expect(stopped.output).toContain('Which currency is $? 1 amount is written with it, first in line 3.');
    expect(stopped.output).toContain('--set currency=USD');
    expect(stopped.output).toContain("--map-value 'currency:kr=SEK'");
    expect(await loaded('opportunities', 'crm_id')).toEqual([]);

    const mapped = ['--map-value', 'currency:$=USD', '--map-value', 'currency:kr=NOK'];
    const all = await run(['opportunities', 'd.csv', '--yes', ...mapped]);
    expect([all.code, all.output]).toEqual([
      0,
      expect.stringContaining('1 deal has no currency; it is totalled'),
    ]);
    expect(await loaded('opportunities', 'currency')).toEqual([
      { currency: null },
      { currency: 'USD' },
      { currency: 'NOK' },
    ]);
  });

  test('of a row that is refused is not counted as missing', async () => {
    await write(
      'd.csv',
      opportunities(
        opportunity(1, { amount: '62.000 €' }),
        opportunity(2, { amount: '$5,000.00' }),
        opportunity(3, { amount: '1.500,00 €' }),
        opportunity(4, { amount: '', stage: 'Closed Won' }),
      ),
    );
    const stopped = await run(['opportunities', 'd.csv', '--yes', '--map-value', 'currency:$=USD']);
    expect(stopped.output).toContain(
      'Is the point in 62.000 € (line 2) a decimal point or a thousands separator? The file has both: $5,000.00 in line 3 has a decimal point, and 1.500,00 € in line 4 has a decimal comma. Amounts that do not fit your answer are refused.',
    );
    expect(stopped.output).not.toMatch(/no currency|no amount/);
    const read = ['--yes', '--decimal', 'comma', '--map-value', 'currency:$=USD'];
    const { code, output } = await run(['opportunities', 'd.csv', ...read]);
    expect(code).toBe(3);
    expect(output).toContain('4 rows: 2 created');
    expect(output).toContain(
      'value is written with the other decimal sign; it does not fit --decimal comma: "$5,000.00"',
    );
    expect(output).not.toMatch(/no currency|no amount/);
  });

  test('refuses its row if it contradicts the currency column', async () => {
    await write(
      'd.csv',
      opportunities(
        opportunity(1, { amount: 'EUR 5', currency: 'USD' }),
        opportunity(2, { amount: '€5', currency: 'EUR' }),
      ),
    );
    const { code, output } = await run(['opportunities', 'd.csv']);
    expect(code).toBe(3);
    expect(output).toContain('value does not match the currency of the row, USD: "EUR 5"');
    expect(await loaded('opportunities', 'crm_id')).toEqual([{ crm_id: 'd2' }]);
  });
});

describe('stages', () => {
  const rows = [
    opportunity(1, { stage: 'Closed Won', closed: '2026-02-01' }),
    opportunity(2, { stage: 'Negotiation' }),
    opportunity(3, { stage: 'Signed', closed: '2026-02-01' }),
    opportunity(4, { stage: "Signed but 'later'", closed: '2099-02-01' }),
  ];

  test('that are unknown stop the import and print the flags to add; known ones are shown', async () => {
    await write('d.csv', opportunities(...rows));
    const stopped = await run(['opportunities', 'd.csv', '--yes']);
    expect(stopped.code).toBe(2);
    expect(stopped.output).toMatch(/Closed Won +won +1\n/);
    expect(stopped.output).toMatch(/Negotiation +open +1\n/);
    expect(stopped.output).toMatch(/Signed +unknown +1\n/);
    expect(stopped.output).toContain(
      'or --lost-stage or --open-stage: 1 deal, 1 with a close date in the past, first in line 4',
    );
    expect(stopped.output).toContain("--won-stage 'Signed'");
    expect(stopped.output).toContain("--won-stage 'Signed but '\\''later'\\'''");
    expect(await loaded('opportunities', 'crm_id')).toEqual([]);
    expect(await run(['opportunities', 'd.csv', '--dry-run'])).toMatchObject({ code: 2 });

    const flags = ['--won-stage', 'signed', '--open-stage', "Signed but 'later'"];
    expect((await run(['opportunities', 'd.csv', '--yes', ...flags])).code).toBe(0);
    expect(await loaded('opportunities', 'stage, status')).toEqual([
      { stage: 'Closed Won', status: 'won' },
      { stage: 'Negotiation', status: 'open' },
      { stage: 'Signed', status: 'won' },
      { stage: "Signed but 'later'", status: 'open' },
    ]);
  });

  test('that are unknown cost only their rows with --refuse-unknown', async () => {
    await write('d.csv', opportunities(...rows));
    const { code, output } = await run(['opportunities', 'd.csv', '--yes', '--refuse-unknown']);
    expect(code).toBe(3);
    expect(output).toContain('4 rows: 2 created, 0 updated, 0 unchanged, 2 refused.');
    expect(await loaded('opportunities', 'crm_id')).toEqual([{ crm_id: 'd1' }, { crm_id: 'd2' }]);
  });
});

describe('values that people really have', () => {
  const partners =
    'external_id,name,type,tier\np1,One,Reseller,Gold\np2,Two,Boutique,Silver\np3,Three,gsi,gold\n';

  test('are shown once with their counts, and can be mapped by flags', async () => {
    await write('p.csv', partners);
    const stopped = await run(['partners', 'p.csv']);
    expect(stopped.code).toBe(2);
    expect(stopped.output).toMatch(/type +Reseller +solution provider +1\n/);
    expect(stopped.output).toMatch(/tier +Gold +unknown +2\n/);
    expect(stopped.output).toContain(
      'What do these values of tier mean? Use 1, 2, 3 or 4; 1 is the highest.',
    );
    expect(stopped.output).toMatch(/--map-value 'tier:Gold=…' +2 rows, first in line 2/);
    expect(stopped.output).toMatch(/--map-value 'tier:Silver=…' +1 row, first in line 3/);
    expect(await loaded('partners', 'external_id')).toEqual([]);

    const flags = ['tier:Gold=1', 'tier:Silver=2', 'type:Boutique=Solution Provider'];
    const done = await run(['partners', 'p.csv', ...flags.flatMap((flag) => ['--map-value', flag])]);
    expect(done.code, done.output).toBe(0);
    expect(await loaded('partners', 'type, tier')).toEqual([
      { type: 'solution_provider', tier: 1 },
      { type: 'solution_provider', tier: 2 },
      { type: 'gsi', tier: 1 },
    ]);
  });

  test('can be mapped by a file next to the imported one', async () => {
    await write('p.csv', partners);
    const map = JSON.stringify({ tier: { Gold: 1, Silver: 2 }, type: { Boutique: 'solution_provider' } });
    await write('crm.json', map);
    expect((await run(['partners', 'p.csv', '--value-map', 'crm.json'])).code).toBe(0);
    await write('partner-signals.values.json', map.replace('"Silver":2', '"Silver":3'));
    expect((await run(['partners', 'p.csv'])).code).toBe(0);
    expect(await loaded('partners', 'tier')).toEqual([{ tier: 1 }, { tier: 3 }, { tier: 1 }]);
  });

  test('in activities and partner accounts too, where the words are not ours', async () => {
    await loadFacts(organization, { partners: [{}] });
    await write(
      'pa.csv',
      'external_id,partner_external_id,name,relationship\n1,p1,Acme,Kunde\n2,p1,Globex,Target\n',
    );
    expect(await run(['partner_accounts', 'pa.csv'])).toMatchObject({
      code: 2,
      output: expect.stringContaining("--map-value 'relationship:Target=…'  1 row"),
    });
    expect(
      (await run(['partner_accounts', 'pa.csv', '--map-value', 'relationship:Target=prospect'])).code,
    ).toBe(0);
    expect(await loaded('partner_accounts', 'relationship')).toEqual([
      { relationship: 'customer' },
      { relationship: 'prospect' },
    ]);
    const activity = (id: number, kind: string) => `${id},p1,a1,${kind},2026-01-05,Talked\n`;
    const kinds = ['Intro', 'POC', 'Webinar', 'joint meeting'].map((kind, id) => activity(id, kind)).join('');
    await write('x.csv', `external_id,partner_external_id,account_crm_id,kind,occurred_at,summary\n${kinds}`);
    const flags = [
      'kind:Intro=introduction',
      'kind:POC=technical validation',
      'kind:Webinar=event_attendance',
    ];
    expect((await run(['activities', 'x.csv'])).code).toBe(2);
    expect((await run(['activities', 'x.csv', ...flags.flatMap((flag) => ['--map-value', flag])])).code).toBe(
      0,
    );
    expect(await loaded('activities', 'kind')).toEqual([
      { kind: 'introduction' },
      { kind: 'technical_validation' },
      { kind: 'event_attendance' },
      { kind: 'joint_meeting' },
    ]);
  });

  test('a mapping to an invalid value, or of an unknown field, is rejected', async () => {
    await write('p.csv', partners);
    const refused = async (flag: string) => (await run(['partners', 'p.csv', '--map-value', flag])).output;
    expect(await refused('tier:Gold=5')).toContain('--map-value: tier must be 1, 2, 3 or 4, not "5".');
    expect(await refused('kind:POC=referral')).toContain('partners have no field "kind"');
    expect(await refused('name:One=Two')).toContain('values of "name" cannot be mapped');
    expect(await refused('tier=1')).toContain('expected field:value=meaning');
  });

  test('a column with hundreds of unknown values is reported as the wrong one', async () => {
    const rows = Array.from({ length: 300 }, (_, id) => `p${id},Name,gsi,Level of ${id}\n`).join('');
    await write('p.csv', `external_id,name,type,tier\n${rows}`);
    expect(await run(['partners', 'p.csv'])).toMatchObject({
      code: 2,
      output: expect.stringMatching(/more than 200 other values.*Is it the right column\?/),
    });
  });

  test('unknown countries cost only their rows, which are reported together', async () => {
    const rows = Array.from(
      { length: 40 },
      (_, id) => `c${id},Name ${id},${id % 4 === 0 ? 'Atlantis' : 'DE'}\n`,
    );
    await write('c.csv', `crm_id,name,country\n${rows.join('')}`);
    const { code, output } = await run(['accounts', 'c.csv']);
    expect(code).toBe(3);
    expect(output).toMatch(/ 10 +2, 6, 10, 14, 18, … +country is not a country.*: "Atlantis" \(10\)/);
    expect((await run(['accounts', 'c.csv', '--map-value', 'country:Atlantis='])).code).toBe(0);
  });
});

describe('dates', () => {
  test('one date settles the order for the whole file', async () => {
    await write(
      'd.csv',
      opportunities(opportunity(1, { opened: '10/24/2026' }), opportunity(2, { opened: '01/02/2026' })),
    );
    const { code, output } = await run(['opportunities', 'd.csv']);
    expect(code, output).toBe(0);
    expect(output).toContain('Dates: month first, as in 10/24/2026 in line 2.');
    expect(await loaded('opportunities', 'opened_at::date::text as day')).toEqual([
      { day: '2026-10-24' },
      { day: '2026-01-02' },
    ]);
  });

  test('nothing is sent if no date shows the order, even far behind valid rows', async () => {
    const good = Array.from({ length: 30 }, (_, id) => opportunity(100 + id, {}));
    await write('d.csv', opportunities(...good, opportunity(1, { opened: '01/02/2026' })));
    const stopped = await run(['opportunities', 'd.csv', '--batch-rows', '10']);
    expect(stopped.code).toBe(2);
    expect(stopped.output).toContain('01/02/2026 in line 32 can be either');
    expect(stopped.output).toMatch(/--dates dmy .*\n.*--dates mdy /);
    expect(await loaded('opportunities', 'crm_id')).toEqual([]);
    expect((await run(['opportunities', 'd.csv', '--dates', 'dmy'])).code).toBe(0);
  });

  test('nothing is sent if two dates contradict each other', async () => {
    await write(
      'd.csv',
      opportunities(opportunity(1, { opened: '24/10/2026' }), opportunity(2, { opened: '10/24/2026' })),
    );
    const stopped = await run(['opportunities', 'd.csv']);
    expect(stopped.code).toBe(2);
    expect(stopped.output).toContain(
      '24/10/2026 in line 2 has the day first, but 10/24/2026 in line 3 has the month first.',
    );
    expect(await loaded('opportunities', 'crm_id')).toEqual([]);
    expect((await run(['opportunities', 'd.csv', '--dates', 'dmy'])).code).toBe(3);
  });
});

test('amounts that can be thousands or decimals are settled by others, or stop the import', async () => {
  await write(
    'd.csv',
    opportunities(opportunity(1, { amount: '1.234' }), opportunity(2, { amount: '12,50' })),
  );
  expect((await run(['opportunities', 'd.csv'])).code).toBe(0);
  await write('e.csv', opportunities(opportunity(3, { amount: '1.234' })));
  expect(await run(['opportunities', 'e.csv'])).toMatchObject({
    code: 2,
    output: expect.stringMatching(/1\.234 \(line 2\)[\s\S]*--decimal point[\s\S]*--decimal comma/),
  });
  expect(await loaded('opportunities', 'value::float')).toEqual([{ value: 1234 }, { value: 12.5 }]);
});

test('empty amounts are 0 and counted', async () => {
  await write(
    'd.csv',
    opportunities(opportunity(1, { amount: '' }), opportunity(2, { amount: '-' }), opportunity(3, {})),
  );
  const { code, output } = await run(['opportunities', 'd.csv']);
  expect(code, output).toBe(0);
  expect(output).toContain('2 deals have no amount; they are loaded as 0.');
  expect(await loaded('opportunities', 'value::float')).toEqual([{ value: 0 }, { value: 0 }, { value: 5 }]);
});

test('all open questions come together, and standard input is checked like a file', async () => {
  const input = opportunities(opportunity(1, { stage: 'Signed', amount: '$5', opened: '01/02/2026' }));
  const stopped = await run(['opportunities', '-', '--format', 'csv'], input);
  expect(stopped.code).toBe(2);
  for (const flag of ['--dates mdy', '--set currency=USD', "--won-stage 'Signed'"])
    expect(stopped.output).toContain(flag);
  const flags = ['--dates', 'mdy', '--set', 'currency=USD', '--open-stage', 'Signed'];
  expect((await run(['opportunities', '-', '--format', 'csv', ...flags], input)).code).toBe(0);
  expect(await loaded('opportunities', 'currency, opened_at::date::text as day')).toEqual([
    { currency: 'USD', day: '2026-01-02' },
  ]);
});

test('a killed import continues with what its file showed, even if only the first row shows it', async () => {
  const rows = Array.from({ length: 400 }, (_, id) => opportunity(1_000 + id, { opened: '01/02/2026' }));
  await write('d.csv', opportunities(opportunity(1, { opened: '10/24/2026' }), ...rows));
  const args = ['import', 'opportunities', 'd.csv', '--batch-rows', '20'];
  const state = join(cli.dir, 'd.csv.import-state.json');
  await interruptAfter(60, 'SIGKILL', state, cli.start(args));
  expect(JSON.parse(await readFile(state, 'utf8')).conventions.dates).toBe('mdy');
  const resumed = await cli.run(args);
  expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining('Continuing after row') });
  expect(existsSync(state)).toBe(false);
  const days = (await loaded('opportunities', 'opened_at::date::text as day')).map(({ day }) => day);
  expect(days).toHaveLength(401);
  expect(new Set(days)).toEqual(new Set(['2026-10-24', '2026-01-02']));
});

test('activities need a column for the account, and the message names the option', async () => {
  const head = 'external_id,partner_external_id,kind,occurred_at,summary,account';
  await write('a.csv', `${head}\nx1,p1,referral,2026-01-05T10:00:00Z,Call,Harbour Mills\n`);
  const { code, output } = await run(['activities', 'a.csv', '--yes']);
  expect(code).toBe(2);
  expect(output).toContain('No column maps to these required fields: account_crm_id. ');
  expect(output).toContain('Choose a column with --map account_crm_id=…');
  expect(output).toContain('A domain can replace account_crm_id.');
});

test('domains that many companies share are told, because they never match', async () => {
  await write('c.csv', 'crm_id,name,domain\nc1,Casa Verde,casaverde@gmail.com\nc2,Harbour,harbour.example\n');
  const { code, output } = await run(['accounts', 'c.csv', '--yes']);
  expect(code, output).toBe(0);
  expect(output).toContain(
    '1 row has a domain that many companies share, such as casaverde@gmail.com in line 2. Such a domain never matches',
  );
});
