import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('the root path redirects a browser to the console and returns 404 to a program', async () => {
  const page = await service.call('GET', '/', { headers: { accept: 'text/html,*/*' } });
  expect([page.status, page.headers.location]).toEqual([302, '/console']);
  expect((await service.call('GET', '/')).status).toBe(404);
});

test('/favicon.ico leads to the icon', async () => {
  const answer = await service.call('GET', '/favicon.ico');
  expect(answer.status).toBe(302);
  const icon = await service.call('GET', answer.headers.location ?? '');
  expect([icon.status, icon.headers['content-type']]).toEqual([200, 'image/svg+xml']);
});
