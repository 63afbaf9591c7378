import { afterAll, beforeAll, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';
import { tryWorlds } from './extreme-checks.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** So many send some 4,000 batches. */
test('whatever valid facts are loaded, no batch, list, report or tool fails', () =>
  tryWorlds(service, { worlds: 400 }));
