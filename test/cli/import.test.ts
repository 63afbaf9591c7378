import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Cli, cliFor } from './cli.ts';
import { writeSalesforceAccounts } from './exports.ts';
import { interruptAfter, rowsDone } from './import-process.ts';

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
  return () => cli.close();
});

const start = (args: string[], input = '') => cli.start(['import', ...args], { input });
async function run(args: string[], input?: string): Promise<{ code: number | string; output: string }> {
  const { code, stdout, stderr } = await start(args, input).ended;
  return { code, output: stderr + stdout };
}
const inFolder = (name: string) => join(cli.dir, name);
const write = (name: string, text: string) => writeFile(inFolder(name), text);
const read = (name: string) => readFile(inFolder(name), 'utf8');
const rowsIn = async (table: 'accounts' | 'opportunities' | 'partners', columns: string) =>
  (
    await service.pool.query(`select ${columns} from ${table} where org_id = $1 order by name`, [
      organization.orgId,
    ])
  ).rows;

test('refused rows can be fixed and imported by themselves', async () => {
  await write('a.csv', 'Id;Name;Country\n1;"Müller; ""Söhne""";DE\n2;Acme;Atlantis\n3;\n');
  const first = await run(['accounts', 'a.csv']);
  expect(first.code).toBe(3);
  expect(first.output).toContain('3 rows: 1 created, 0 updated, 0 unchanged, 2 refused.');
  expect(first.output).toContain('The refused rows are in a.csv.rejected.csv');
  const rejects = await read('a.csv.rejected.csv');
  expect(rejects.split('\r\n')).toEqual([
    'error_line;error;Id;Name;Country',
    `3;"country is not a country, such as DE or Germany; map it with --map-value 'country:…=…'";2;Acme;Atlantis`,
    '4;row has 2 columns where the header has 3;3;',
    '',
  ]);

  await write('a.csv.rejected.csv', rejects.replace('Atlantis', 'USA'));
  const again = await run(['accounts', 'a.csv.rejected.csv']);
  expect(again).toMatchObject({ code: 3, output: expect.stringContaining('Ignored: error_line, error') });
  expect((await read('a.csv.rejected.csv.rejected.csv')).split('\r\n')[0]).toBe(
    'error_line;error;Id;Name;Country',
  );
  expect(await rowsIn('accounts', 'crm_id, name, country')).toEqual([
    { crm_id: '2', name: 'Acme', country: 'US' },
    { crm_id: '1', name: 'Müller; "Söhne"', country: 'DE' },
  ]);
});

test('a file with refused rows contains no formula, and is read back as it was', async () => {
  const name = '=HYPERLINK("https://evil.example")';
  await write('a.csv', `Id;Name;Country;Revenue\n-1;"${name.replaceAll('"', '""')}";Atlantis;-1,5\n`);
  expect((await run(['accounts', 'a.csv'])).code).toBe(3);
  const rejects = await read('a.csv.rejected.csv');
  expect(rejects).toContain(`;-1;"'=HYPERLINK(""https://evil.example"")";Atlantis;"-1,5"\r\n`);
  await write('a.csv.rejected.csv', rejects.replace('Atlantis', 'USA'));
  expect((await run(['accounts', 'a.csv.rejected.csv'])).code).toBe(0);
  expect(await rowsIn('accounts', 'crm_id, name')).toEqual([{ crm_id: '-1', name }]);
});

test('a list that was exported as CSV can be imported, and changes nothing', async () => {
  const names = ['=1+1', 'a; -b', "'@x", 'Tab\tand "quotes"', 'Two\nlines', 'Plain, Inc.'];
  const body = names.map((name, place) => ({ crm_id: `+${place}`, name }));
  await organization.call('POST', '/ingest/v1/accounts', { body });
  const { stdout } = await cli.run(['accounts', 'list', '--csv']);
  await write('accounts.csv', stdout);
  expect(await run(['accounts', 'accounts.csv'])).toMatchObject({
    code: 0,
    output: expect.stringContaining('6 rows: 0 created, 0 updated, 6 unchanged, 0 refused.'),
  });
});

test('rows that only the service can judge are refused like the others', async () => {
  await write('a.csv', 'crm_id,name\n1,Acme\n');
  await run(['accounts', 'a.csv']);
  const opportunity = { account_crm_id: '1', value: 5, stage: 'Closed Won', opened_at: '2026-01-01' };
  const opportunities = [
    { ...opportunity, crm_id: 'd1', name: 'One', closed_date: '2026-02-01' },
    { ...opportunity, crm_id: 'd2', name: 'Two', closed_date: '2026-02-01', account_crm_id: 'nobody' },
    { ...opportunity, crm_id: 'd3', name: 'Three' },
  ];
  await write('d.ndjson', `${opportunities.map((row) => JSON.stringify(row)).join('\n')}\n{"crm_id":\n`);
  expect((await run(['opportunities', 'd.ndjson'])).code).toBe(3);
  const rejects = (await read('d.ndjson.rejected.ndjson')).trimEnd().split('\n');
  expect(rejects.map((line) => JSON.parse(line))).toEqual([
    { ...opportunities[1], error_line: 2, error: expect.stringMatching(/^account_crm_id /) },
    { ...opportunities[2], error_line: 3, error: 'closed_date is required when status is won' },
    { error_text: '{"crm_id":', error_line: 4, error: 'row is not valid JSON' },
  ]);
  expect(await rowsIn('opportunities', 'crm_id, status')).toEqual([{ crm_id: 'd1', status: 'won' }]);
});

test('refused rows that someone fixed survive another import of the file', async () => {
  await write('a.csv', 'Id,Name\n1,Acme\n2,\n');
  await write('a.csv.rejected.csv', 'fixed by hand');
  await run(['accounts', 'a.csv']);
  expect(await read('a.csv.rejected.csv.old')).toBe('fixed by hand');
  expect(await read('a.csv.rejected.csv')).toContain('name is required');
});

test('a file without rows is not an error', async () => {
  await write('a.csv', 'Id,Name\n');
  await write('a.ndjson', '');
  for (const name of ['a.csv', 'a.ndjson'])
    expect(await run(['accounts', name])).toMatchObject({
      code: 0,
      output: expect.stringContaining('0 rows:'),
    });
});

test('a valid file leaves nothing behind', async () => {
  await write('p.csv', 'Id,Name,Rank\nP1,Acme,2\n');
  await write('map.json', '{"tier":"rank"}');
  const done = await run(['partners', 'p.csv', '--set', 'type=gsi', '--map-file', 'map.json', '--json']);
  expect(done.code).toBe(0);
  expect(await readdir(cli.dir)).toEqual(['ca.pem', 'map.json', 'p.csv']);
  expect(await rowsIn('partners', 'external_id, type, tier')).toEqual([
    { external_id: 'P1', type: 'gsi', tier: 2 },
  ]);
});

test('a dry run shows the mapping, checks all rows, and leaves no trace', async () => {
  await write('a.csv', 'Id,Name,Shoe Size\n001A0000006Vm9u,Acme,44\n,Globex,45\n');
  const tried = await run(['accounts', 'a.csv', '--dry-run']);
  expect(tried.code).toBe(3);
  expect(tried.output).toMatch(/crm_id +Id +001A0000006Vm9u +001A0000006Vm9uIAC/);
  expect(tried.output).toContain('Ignored: Shoe Size');
  expect(tried.output).toContain('2 rows: 1 can be sent, 1 would be refused. Nothing was sent.');
  expect(await readdir(cli.dir)).toEqual(['a.csv', 'ca.pem']);
  expect(await rowsIn('accounts', 'crm_id')).toEqual([]);
});

test('required fields without a column are named, together with the columns of the file', async () => {
  await write('d.csv', 'Id,Name,Amount,Stage\n1,Deal,5,Open\n');
  const refused = await run(['opportunities', 'd.csv']);
  expect(refused.code).toBe(2);
  expect(refused.output).toContain(
    'No column maps to these required fields: account_crm_id, opened_at. The file has these columns: Id, Name, Amount, Stage.',
  );
  expect(await run(['opportunities', 'd.csv', '--map', 'opened_at=Born'])).toMatchObject({
    code: 2,
    output: expect.stringContaining('There is no column Born.'),
  });
});

test('nothing is sent if all of the first rows are invalid', async () => {
  const rows = Array.from({ length: 20 }, (_, index) => `${index},Acme,soon\n`).join('');
  await write('a.csv', `Id,Name,Last Modified Date\n${rows}`);
  const refused = await run(['accounts', 'a.csv', '--batch-rows', '10']);
  expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/Nothing was sent.*not a date/) });
  expect(await rowsIn('accounts', 'crm_id')).toEqual([]);
});

test('standard input is imported, and says that it cannot be continued', async () => {
  const done = await run(['accounts', '-', '--format', 'json'], '[{"crm_id":"1","name":"Acme"}]');
  expect(done).toMatchObject({ code: 0, output: expect.stringContaining('cannot be continued') });
  expect(await rowsIn('accounts', 'name')).toEqual([{ name: 'Acme' }]);
});

test('Ctrl-C stops after a batch, and the same command continues, unless the file or mapping changed', async () => {
  const made = await writeSalesforceAccounts(inFolder('a.csv'), 1_500);
  const state = inFolder('a.csv.import-state.json');
  const args = ['accounts', 'a.csv', '--batch-rows', '100'];
  const stopped = await interruptAfter(300, 'SIGINT', state, start(args));
  const reached = await rowsDone(state);
  expect(reached).toBeLessThan(made.rows);
  expect(stopped).toMatchObject({
    code: 130,
    stderr: expect.stringContaining(
      `the first ${reached.toLocaleString('en-US')} rows are loaded. Run the same command again to continue.`,
    ),
  });

  const remapped = await run([...args, '--map', 'country=']);
  expect(remapped).toMatchObject({
    code: 1,
    output: expect.stringMatching(/the mapping.*changed.*--restart/),
  });
  const elsewhere = await run([...args, '--key', 'psk_another']);
  expect(elsewhere).toMatchObject({ code: 1, output: expect.stringMatching(/the key.*--restart/) });

  const resumed = await run(args);
  expect(resumed.output).toContain(`Continuing after row ${reached.toLocaleString('en-US')}`);
  expect(resumed.output).toContain(`${made.bad} refused.`);

  await interruptAfter(300, 'SIGKILL', state, start(args));
  await appendFile(inFolder('a.csv'), '\r\n');
  expect(await run(args)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/the file changed.*--restart/),
  });
  const restarted = await run([...args, '--restart']);
  expect(restarted.output).toMatch(/1,500 rows: 0 created, 0 updated/);
  expect((await read('a.csv.rejected.csv')).match(/^\d+,/gm)).toHaveLength(made.bad);
});

test('refused rows that an import saved after its last commit are not saved twice', async () => {
  const made = await writeSalesforceAccounts(inFolder('a.csv'), 1_000);
  const state = inFolder('a.csv.import-state.json');
  const args = ['accounts', 'a.csv', '--batch-rows', '100'];
  await interruptAfter(500, 'SIGKILL', state, start(args));
  await appendFile(inFolder('a.csv.rejected.csv'), '750,half a ro');
  await run(args);
  const rejects = await read('a.csv.rejected.csv');
  expect(rejects).not.toContain('half a ro');
  expect(rejects.match(/^\d+,/gm)).toHaveLength(made.bad);
});
