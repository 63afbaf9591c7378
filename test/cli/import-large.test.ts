import { createHash } from 'node:crypto';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Cli, cliFor } from './cli.ts';
import {
  type Export,
  writeHubSpotCompanies,
  writeHubSpotOpportunities,
  writeSalesforceAccounts,
} from './exports.ts';
import { interruptAfter, rowsDone } from './import-process.ts';

/** `IMPORT_ROWS=100000` for a size that takes minutes. */
const rows = Number(process.env.IMPORT_ROWS ?? 10_000);
const opportunityRows = Math.ceil(rows / 4);
const batchRows = String(Math.ceil(rows / 25));
const timeoutMs = 60_000 + rows * 10;

/** A command line and the organization it loads into. */
type Side = { cli: Cli; organization: TestOrganization };

let service: TestService;
let whole: Side;
let broken: Side;
const exports: Record<string, Export> = {};

beforeAll(async () => {
  service = await startTestService();
  whole = await createSide();
  broken = await createSide();
  const { dir } = whole.cli;
  exports.salesforce = await writeSalesforceAccounts(join(dir, 'salesforce.csv'), rows);
  exports.companies = await writeHubSpotCompanies(join(dir, 'companies.csv'), opportunityRows);
  exports.deals = await writeHubSpotOpportunities(join(dir, 'deals.csv'), opportunityRows, opportunityRows);
  for (const name of Object.keys(exports))
    await copyFile(join(dir, `${name}.csv`), join(broken.cli.dir, `${name}.csv`));
}, timeoutMs);

afterAll(async () => {
  await service.close();
  await whole.cli.close();
  await broken.cli.close();
});

async function createSide(): Promise<Side> {
  const organization = await service.organization();
  return { cli: await cliFor(service, organization.key), organization };
}

describe('an import that is killed repeatedly ends with the same result as one that is not', () => {
  test.each([
    ['accounts', 'salesforce'],
    ['accounts', 'companies'],
    ['opportunities', 'deals'],
  ])(
    '%s of %s.csv',
    async (kind, name) => {
      const made = exports[name] as Export;
      const args = ['import', kind, `${name}.csv`, '--backfill', '--batch-rows', batchRows];
      const stateFile = join(broken.cli.dir, `${name}.csv.import-state.json`);

      const uninterrupted = await whole.cli.run(args);
      expect(uninterrupted).toMatchObject({ code: 3, stdout: expect.stringContaining(summary(made)) });

      for (const share of [0.1, 0.4, 0.7]) {
        const reached = Math.ceil(made.rows * share);
        const killed = await interruptAfter(reached, 'SIGKILL', stateFile, broken.cli.start(args));
        expect(killed.code).toBe('SIGKILL');
        expect(await rowsDone(stateFile)).toBeLessThan(made.rows);
      }
      const resumed = await broken.cli.run(args);
      expect(resumed).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/Continuing after row [\d,]+/),
      });
      expect(resumed.stdout).toContain(`${made.bad.toLocaleString('en-US')} refused.`);
      expect(await rowsDone(stateFile)).toBe(0);

      expect(await factsOf(broken, kind)).toEqual(await factsOf(whole, kind));
      expect(await rejectsOf(broken, name)).toBe(await rejectsOf(whole, name));
    },
    timeoutMs,
  );
});

function rejectsOf({ cli }: Side, name: string): Promise<string> {
  return readFile(join(cli.dir, `${name}.csv.rejected.csv`), 'utf8');
}

function summary({ rows, bad }: Export): string {
  const number = (value: number) => value.toLocaleString('en-US');
  return `${number(rows)} rows: ${number(rows - bad)} created, 0 updated, 0 unchanged, ${number(bad)} refused.`;
}

/** Their number, and a digest of everything that the import determines. */
async function factsOf({ organization }: Side, kind: string): Promise<{ count: number; digest: string }> {
  const statements: Record<string, string> = {
    accounts: `
      select crm_id, name, domain, extra_domains, country, registry_number, source_updated_at
      from accounts where org_id = $1 order by crm_id`,
    opportunities: `
      select o.crm_id, o.name, o.value, o.currency, o.stage, o.status, o.opened_at, o.closed_date, o.source_updated_at,
        a.crm_id as account
      from opportunities o join accounts a on a.org_id = o.org_id and a.id = o.account_id
      where o.org_id = $1 order by o.crm_id`,
  };
  const found = await service.pool.query(statements[kind] ?? '', [organization.orgId]);
  expect(found.rows.length).toBeGreaterThan(0);
  return {
    count: found.rows.length,
    digest: createHash('sha256').update(JSON.stringify(found.rows)).digest('hex'),
  };
}
