import { afterAll, beforeAll, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';
import { tryWorlds } from './extreme-checks.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('whatever valid facts are loaded, no batch, list, report or tool fails', () =>
  tryWorlds(service, { worlds: 20, seconds: 10 }));
