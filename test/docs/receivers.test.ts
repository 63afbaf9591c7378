import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const examples = resolve('docs/webhooks/examples');
const vectors: { valid: boolean; secret: string; body: string }[] = JSON.parse(
  await readFile('docs/webhooks/vectors.json', 'utf8'),
);
const valid = vectors.find((vector) => vector.valid) as (typeof vectors)[number];

/** The command in the first lines of each example, such as `WEBHOOK_SECRET=... node verify.mjs < body`. */
const documented = await Promise.all(
  (await readdir(examples)).map(async (file) => {
    const usage = /Usage: WEBHOOK_SECRET=\.\.\. (.+ < body)/.exec(
      await readFile(join(examples, file), 'utf8'),
    );
    return { file, command: usage?.[1] ?? '', program: usage?.[1]?.split(' ')[0] ?? '' };
  }),
);

let body: string;
beforeAll(async () => {
  body = join(await mkdtemp(join(tmpdir(), 'ps-receivers-')), 'body');
  await writeFile(body, valid.body);
});
afterAll(() => rm(dirname(body), { recursive: true, force: true }));

test('every example says how to run it', () => {
  expect(documented.filter(({ command }) => command === '')).toEqual([]);
});

describe.each(documented)('$file', ({ command, program }) => {
  test.skipIf(program !== 'node' && spawnSync('which', [program]).status !== 0)(
    'runs as documented, and exits with 0 for a valid signature and 1 for a wrong one',
    () => {
      expect(run(command, valid.secret)).toEqual({ status: 0, stderr: '' });
      const wrong = run(command, 'another-secret');
      // Go reports the exit status of the program itself.
      expect({ ...wrong, stderr: wrong.stderr.replace('exit status 1\n', '') }).toEqual({
        status: 1,
        stderr: '',
      });
    },
  );
});

/** Uses the same Node.js as the tests. */
function run(command: string, secret: string) {
  const { status, stderr } = spawnSync('sh', ['-c', command.replace('< body', `< '${body}'`)], {
    cwd: examples,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      WEBHOOK_SECRET: secret,
    },
  });
  return { status, stderr: stderr.toString() };
}
