import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';
import { skipBrowser } from './browser.ts';
import { longNamedOrganization } from './organizations.ts';
import { walk, withoutRateLimits } from './walk.ts';

describe.skipIf(skipBrowser)('every page of the console', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  });
  afterAll(() => service?.close());
  withoutRateLimits();

  test('fits phones, tablets and desktops in light and dark, with long names', async () => {
    const flaws = await walk({
      url: service.url,
      org: await longNamedOrganization(service),
      data: 'long names',
      widths: [360, 820, 1280],
      themes: ['light', 'dark'],
    });
    expect(flaws, flaws).toBe('');
  });
});
