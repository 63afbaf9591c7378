import { execFileSync, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

type Vector = {
  name: string;
  valid: boolean;
  secret: string;
  new_secret?: string;
  body: string;
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const examples = join(docs, 'webhooks/examples');
const published: Vector[] = JSON.parse(await readFile(join(docs, 'webhooks/vectors.json'), 'utf8'));
const vectors = published.map((vector) => ({ ...vector, verdict: vector.valid ? 'accepts' : 'refuses' }));
const files = await readdir(examples);

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'ps-receivers-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** How each example runs: what must be installed, what to do once, and the command for one body. */
type Receiver = { needs?: string[]; build?: () => unknown; command: () => string[] };
const receivers: Record<string, Receiver> = {
  'verify.mjs': { command: () => [process.execPath, join(examples, 'verify.mjs')] },
  'verify.py': { needs: ['python3', '--version'], command: () => ['python3', join(examples, 'verify.py')] },
  'verify.go': {
    needs: ['go', 'version'],
    build: () => execFileSync('go', ['build', '-o', join(scratch, 'verify-go'), join(examples, 'verify.go')]),
    command: () => [join(scratch, 'verify-go')],
  },
  'verify.rb': { needs: ['ruby', '--version'], command: () => ['ruby', join(examples, 'verify.rb')] },
  'Verify.java': {
    needs: ['javac', '-version'],
    build: () => execFileSync('javac', ['-d', scratch, join(examples, 'Verify.java')]),
    command: () => ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', scratch, 'Verify'],
  },
  'verify.sh': { needs: ['openssl', 'version'], command: () => ['sh', join(examples, 'verify.sh')] },
};

test('every example is run here', () => {
  expect(files.sort()).toEqual(Object.keys(receivers).sort());
});

for (const [file, { needs, build, command }] of Object.entries(receivers)) {
  describe.skipIf(needs && !runs(needs))(file, () => {
    beforeAll(async () => {
      await build?.();
    });

    test.each(vectors)('$verdict: $name', ({ verdict, secret, body }) => {
      expect(exitStatus(command(), body, { WEBHOOK_SECRET: secret })).toBe(verdict === 'accepts' ? 0 : 1);
    });

    test('refuses everything while no secret is set, even what is signed with an empty one', () => {
      const unsigned = '{"event":"signal.created","data":{},"timestamp":"2026-02-25T06:13:20.417Z"}';
      const digest = createHmac('sha256', '').update(unsigned).digest('hex');
      const body = `${unsigned.slice(0, -1)},"signature":"sha256=${digest}"}`;
      expect(exitStatus(command(), body, {})).toBe(1);
      expect(exitStatus(command(), body, { WEBHOOK_SECRET: '' })).toBe(1);
    });
  });
}

describe('the standardwebhooks library', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each(vectors)('$verdict: $name', (vector) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Number(vector['webhook-timestamp']) * 1000 });
    for (const secret of [vector.secret, ...(vector.new_secret ? [vector.new_secret] : [])]) {
      const encoded = /^whsec_[A-Za-z0-9+/]+=*$/.test(secret);
      const library = new Webhook(secret, encoded ? {} : { format: 'raw' });
      const headers = {
        'webhook-id': vector['webhook-id'],
        'webhook-timestamp': vector['webhook-timestamp'],
        'webhook-signature': vector['webhook-signature'],
      };
      if (vector.valid) expect(library.verify(vector.body, headers)).toEqual(JSON.parse(vector.body));
      else expect(() => library.verify(vector.body, headers)).toThrow('No matching signature found');
    }
  });
});

describe('the page for receivers', async () => {
  const page = await readFile(join(docs, 'guides/webhooks.md'), 'utf8');

  test.each(files)('quotes %s as it is', async (file) => {
    const source = await readFile(join(examples, file), 'utf8');
    expect(page).toContain(`\n${source}\`\`\`\n`);
  });

  test('shows a body whose signature is right', () => {
    const body = /^\{"event":.*\}$/m.exec(page)?.[0];
    expect(vectors.find((vector) => vector.valid && vector.body === body)?.name).toBeDefined();
  });
});

function runs([program = '', ...args]: string[]) {
  return spawnSync(program, args).status === 0;
}

function exitStatus([program = '', ...args]: string[], body: string, settings: Record<string, string>) {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...settings };
  const result = spawnSync(program, args, { input: body, env, timeout: 30_000 });
  expect(result.signal, `${program} has not ended within 30 seconds`).toBeNull();
  // A program may end before it has read its input: an error here, and yet an answer.
  if (result.status === null) throw result.error;
  // Many a language ends a crash with status 1, which must not pass for a refusal.
  expect(result.stderr.toString()).toBe('');
  return result.status;
}
