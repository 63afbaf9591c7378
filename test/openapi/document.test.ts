import { readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';

const file = new URL('../../docs/openapi.json', import.meta.url);
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('docs/openapi.json is what the service says of itself', async () => {
  const served = `${JSON.stringify(JSON.parse(await serve(service)), null, 2)}\n`;
  if (process.env.UPDATE) await writeFile(file, served);
  expect(await readFile(file, 'utf8'), 'renew it: UPDATE=1 npm test test/openapi/document').toBe(served);
});

test('the service, its client and the document have one version, and the changelog begins with it', async () => {
  const read = async (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
  const { version } = JSON.parse(await read('package.json'));
  expect(JSON.parse(await read('packages/client/package.json')).version).toBe(version);
  expect(JSON.parse(await read('docs/openapi.json')).info.version).toBe(version);
  expect((await read('CHANGELOG.md')).match(/^## (\S+)/m)?.[1]).toBe(version);
});

/** Not by the harness, which holds the answer against the very file that may be stale. */
async function serve({ url, ca }: TestService): Promise<string> {
  return new Promise((resolve, reject) => {
    get(`${url}/v1/openapi.json`, { ca }, (response) => text(response).then(resolve, reject)).on(
      'error',
      reject,
    );
  });
}
