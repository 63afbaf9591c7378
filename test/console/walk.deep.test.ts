import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { sharedBrowser, skipBrowser } from './browser.ts';
import { longNamedOrganization, organizationWithManyRows, organizationWithOneRow } from './organizations.ts';
import { walk, withoutRateLimits } from './walk.ts';

const widths = [360, 390, 768, 820, 1024, 1280, 1600];
const themes = ['light', 'dark'] as const;
const organizations: [data: string, make: (service: TestService) => Promise<TestOrganization>][] = [
  ['no data', (service) => service.organization()],
  ['one row', organizationWithOneRow],
  ['2,000 rows', organizationWithManyRows],
  ['long names', longNamedOrganization],
];

describe.skipIf(skipBrowser)('every page of the console', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  });
  afterAll(() => service?.close());
  withoutRateLimits();

  test.each(organizations)('fits every screen with %s', async (data, make) => {
    const org = await make(service);
    const flaws = await walk({ browser: await sharedBrowser(), url: service.url, org, data, widths, themes });
    expect(flaws, flaws).toBe('');
  });
});
