import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { within } from '../within.ts';

const log = new URL('../../dist/http/server/log.js', import.meta.url);

/** A process with the logger of the service that does this. */
function run(body: string) {
  const program = `const { createLogger } = await import('${log}'); const log = createLogger('info'); ${body}`;
  return spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const lines = (output: string) => output.split('\n').filter((line) => line.includes('"msg":"line"')).length;

test.each([
  ['ends by itself', ''],
  ['is told to end', 'process.exit(0);'],
  ['fails', 'throw new Error("unexpected");'],
  ['fails later', 'setImmediate(() => { throw new Error("unexpected"); });'],
])('a process that %s has written all lines of its log', async (_, end) => {
  const child = run(`for (let i = 0; i < 1000; i++) log.info('line'); ${end}`);
  expect(lines(await text(child.stdout))).toBe(1_000);
});

test('a line shows though no other follows', async () => {
  const child = run(`log.info('line'); setInterval(() => {}, 1_000);`);
  const [chunk] = await within(20, 'the line shows', once(child.stdout, 'data'));
  expect(lines(String(chunk))).toBe(1);
  child.kill();
  await once(child, 'exit');
});
