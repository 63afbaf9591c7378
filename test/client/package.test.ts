import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { daysAgo, loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

const execute = promisify(execFile);
/** Without the variables of the npm that runs this test, which a user's folder does not have. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
const run = (command: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) =>
  execute(command, args, { ...options, env: { ...env, ...options.env } });
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

let folder: string;
let service: TestService;
let org: TestOrganization;
let packed: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ps-package-'));
  service = await startTestService();
  org = await service.organization();
  await loadFacts(org, {
    partners: [{}],
    accounts: Array.from({ length: 30 }, () => ({})),
    partner_accounts: Array.from({ length: 30 }, (_, index) => ({ domain: `a${index + 1}.example` })),
    opportunities: [
      { status: 'won', opened_at: daysAgo(40).slice(0, 10), closed_date: daysAgo(1).slice(0, 10) },
    ],
    activities: [{ kind: 'joint_meeting', occurred_at: daysAgo(10) }],
  });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await run('npm', ['pack', './packages/client', '--pack-destination', folder]);
  [packed = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed}`], { cwd: folder });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const program = `
import { ClientError, createClient, verifyWebhook } from '@partner-signals/client';

const [url = '', key = '', body = '', secret = ''] = process.argv.slice(2);
const client = createClient({ baseUrl: url, key, actor: 'Partner manager' });

const seen: string[] = [];
for await (const signal of client.signals.list({ state: 'new', limit: 10 })) seen.push(signal.id);
const { data: handled } = await client.signals.change(seen[0] ?? '', { state: 'handled', note: 'Done.' });

const { data: records } = await client.attribution.list({ tier: 'co_sell' }).page();
const record = records[0]?.id ?? '';
const claim = { claimed_tier: 'sourced', justification: 'They brought us the deal.' } as const;
const { data: dispute } = await client.attribution.dispute(record, claim);
const again = await client.attribution.dispute(record, claim).catch((error: unknown) => {
  if (error instanceof ClientError && error.code === 'dispute_already_open') return error.code;
  throw error;
});
// @ts-expect-error: there is no such tier
const wrong = () => client.attribution.dispute(record, { claimed_tier: 'gold', justification: 'x' });

const payload = await verifyWebhook(body, secret);
const action: string = payload.event === 'signal.created' ? payload.data.recommended_action : payload.data.tier;

console.log(JSON.stringify({ seen: seen.length, state: handled.state, dispute: dispute.status, again, action, wrong: typeof wrong }));
`;

test('the packed client is below 100 KB, needs no other package, and documents its types', async () => {
  expect((await stat(join(folder, packed))).size).toBeLessThan(100_000);
  const installed = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'));
  expect(installed).toEqual(['@partner-signals']);
  const dist = join(folder, 'node_modules/@partner-signals/client/dist');
  const types = await readFile(join(dist, 'client/schema.gen.d.ts'), 'utf8');
  expect(types).toContain('@description What to do next, why, and who should do it by when');
});

test.each(['nodenext', 'bundler'])(
  'a program that uses the packed package alone compiles: %s',
  async (moduleResolution) => {
    await writeFile(join(folder, 'program.ts'), program);
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'es2022',
          lib: ['es2022', 'dom', 'dom.iterable'],
          module: moduleResolution === 'nodenext' ? 'nodenext' : 'preserve',
          moduleResolution,
          strict: true,
          skipLibCheck: false,
          exactOptionalPropertyTypes: true,
          types: [],
          outDir: moduleResolution,
        },
        files: ['program.ts', 'process.d.ts'],
      }),
    );
    await writeFile(join(folder, 'process.d.ts'), 'declare const process: { argv: string[] };');
    const { stdout } = await run(process.execPath, [tsc, '-p', '.'], { cwd: folder }).catch((error) => error);
    expect(stdout).toBe('');
  },
);

test('and runs: it pages through signals, handles one, opens a dispute and verifies a webhook', async () => {
  const [vector] = (await import('../../docs/webhooks/vectors.json', { with: { type: 'json' } })).default;
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, service.ca);
  const { stdout } = await run(
    process.execPath,
    ['nodenext/program.js', service.url, org.key, vector?.body ?? '', vector?.secret ?? ''],
    { cwd: folder, env: { NODE_EXTRA_CA_CERTS: caFile } },
  );
  expect(JSON.parse(stdout)).toEqual({
    seen: 30,
    state: 'handled',
    dispute: 'open',
    again: 'dispute_already_open',
    action: expect.stringMatching(/Zephyr Cloud/),
    wrong: 'function',
  });
});
