import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { skipBrowser } from './browser.ts';
import { openFirefox, skipFirefox } from './firefox.ts';
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
    const flaws = await walk({ url: service.url, org, data, widths, themes });
    expect(flaws, flaws).toBe('');
  });

  test.skipIf(skipFirefox).each([
    ['light', [360, 820]],
    ['dark', [390, 1280]],
  ] as const)('fits Firefox in %s mode, at %j pixels, with long names', async (theme, widths) => {
    const org = await longNamedOrganization(service);
    const flaws = await walk({
      open: openFirefox,
      url: service.url,
      org,
      data: 'long names, Firefox',
      widths,
      themes: [theme],
    });
    expect(flaws, flaws).toBe('');
  });
});
