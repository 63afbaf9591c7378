import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { checkNow, moveBack } from '../due-work.ts';
import { loadFacts, readAll } from '../facts.ts';
import { type Answer, startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Received, type Receiver, startReceiver } from '../receiver.ts';

let receiver: Receiver;
let service: TestService;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_CA_FILE: receiver.caFile,
    LOG_LEVEL: 'trace',
  });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const generated = /^whsec_[A-Za-z0-9+/]{43}=$/;
let places = 0;

/** At an address of its own on the receiver. */
async function register(org: TestOrganization, body: object, headers: Record<string, string> = {}) {
  const path = `/${++places}`;
  const answer = await org.call('POST', '/v1/webhooks', {
    body: { url: receiver.url + path, events: ['signal.created'], ...body },
    headers,
  });
  return { path, answer, webhook: answer.body.data as { id: string; secret?: string } };
}

const rotate = (org: TestOrganization, id: string, body?: object, headers: Record<string, string> = {}) =>
  org.call('POST', `/v1/webhooks/${id}/rotate_secret`, { body, headers });

const at = (path: string) => receiver.received.filter((one) => one.path === path);

/** The request that arrives when the webhook is tested now. */
async function sentNow(org: TestOrganization, id: string, path: string): Promise<Received> {
  const before = at(path).length;
  expect((await org.call('POST', `/v1/webhooks/${id}/test`)).status).toBe(202);
  await expect.poll(() => at(path).length).toBe(before + 1);
  return at(path)[before] as Received;
}

function bodyIsSignedWith(secret: string, { body }: Received): boolean {
  const signature = /,"signature":"sha256=([0-9a-f]{64})"(?=}$)/.exec(body);
  const unsigned = body.replace(signature?.[0] ?? '', '');
  return signature?.[1] === createHmac('sha256', secret).update(unsigned).digest('hex');
}

function headersAreSignedWith(secret: string, { body, headers }: Received): boolean {
  const library = new Webhook(secret, secret.startsWith('whsec_') ? {} : { format: 'raw' });
  try {
    library.verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

const signatures = ({ headers }: Received) => String(headers['webhook-signature']).split(' ').length;

function expectSecretRefused(answer: Answer, secret: unknown): void {
  expect(answer.status).toBe(400);
  expect(answer.body.error.details).toMatchObject([{ field: 'secret' }]);
  if (typeof secret === 'string' && secret !== '') expect(answer.text).not.toContain(secret);
}

const printable = Array.from({ length: 0x7e - 0x21 + 1 }, (_, index) => String.fromCharCode(0x21 + index));

describe('a secret', () => {
  test.each([
    ['8 characters', 's3cret-8'],
    ['256 characters', printable.join('').repeat(3).slice(0, 256)],
    ['the form of Standard Webhooks', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
  ])('of %s is taken, and signs as it was given', async (_, secret) => {
    const org = await service.organization();
    const { answer, path, webhook } = await register(org, { secret });
    expect(answer.status).toBe(201);
    const one = await sentNow(org, webhook.id, path);
    expect(bodyIsSignedWith(secret, one)).toBe(true);
    expect(headersAreSignedWith(secret, one)).toBe(true);
  });

  test.each([
    ['7 characters', 's3cret7'],
    ['257 characters', 'x'.repeat(257)],
    ['no characters', ''],
    ['a space', 'with a space'],
    ['a space at its end', 'at-the-end '],
    ['a tab', 'with\ta-tab'],
    ['a line feed at its end', 'line-feed\n'],
    ['a NUL', 'with-a\0nul'],
    ['a DEL', 'with-a\x7fdel'],
    ['an umlaut', 'schlüssel'],
    ['an emoji', 'key-🔑-key'],
    ['a number', 12_345_678],
    ['null', null],
    ['an array', ['a-secret']],
  ])('with %s is refused, by name and without repeating it', async (_, secret) => {
    const org = await service.organization();
    expectSecretRefused((await register(org, { secret })).answer, secret);
    const { webhook } = await register(org, {});
    expectSecretRefused(await rotate(org, webhook.id, { secret }), secret);
  });

  test('that is absent is made, shown, and different every time', async () => {
    const org = await service.organization();
    const first = await register(org, {});
    const second = await register(org, {});
    expect(first.answer.status).toBe(201);
    expect(first.webhook.secret).toMatch(generated);
    expect(second.webhook.secret).not.toBe(first.webhook.secret);
    const one = await sentNow(org, first.webhook.id, first.path);
    expect(bodyIsSignedWith(first.webhook.secret ?? '', one)).toBe(true);
    expect(headersAreSignedWith(first.webhook.secret ?? '', one)).toBe(true);
    expect(headersAreSignedWith(second.webhook.secret ?? '', one)).toBe(false);
  });

  test('is shown again nowhere: no answer, no log line and no row of the database has it', async () => {
    const org = await service.organization();
    const given = await register(org, { secret: 'given-at-registration' }, { 'idempotency-key': 'given' });
    const made = await register(org, {}, { 'idempotency-key': 'made' });
    const turned = await rotate(org, given.webhook.id, { secret: 'given-at-rotation' });
    const returned = await rotate(org, made.webhook.id, {}, { 'idempotency-key': 'turned' });
    const secrets = [
      'given-at-registration',
      'given-at-rotation',
      made.webhook.secret as string,
      returned.body.data.secret as string,
    ];
    receiver.reply = ({ path }) => ({ status: path === made.path ? 503 : 200 });
    await sentNow(org, given.webhook.id, given.path);
    await sentNow(org, made.webhook.id, made.path);
    const answers = [given.answer, turned, await org.get('/v1/webhooks'), await org.get('/v1/events')];
    for (const { id } of [given.webhook, made.webhook]) {
      const path = `/v1/webhooks/${id}`;
      answers.push(
        await org.get(path),
        await org.get(`${path}/deliveries`),
        await org.call('PATCH', path, { body: { status: 'disabled' } }),
        await org.call('POST', `${path}/test`),
        await org.call('POST', `${path}/rotate_secret`, {
          body: { secret: secrets[0], overlap_seconds: -1 },
        }),
        await org.call('PATCH', path, { body: { secret: secrets[2] } }),
      );
    }
    expect(answers.map(({ status }) => status)).toEqual([
      ...[201, 200, 200, 200],
      ...[200, 200, 200, 409, 400, 400],
      ...[200, 200, 200, 409, 400, 400],
    ]);
    const places = {
      answers: answers.map(({ text }) => text).join('\n'),
      logs: service.logs.join('\n'),
      database: await dump(),
    };
    for (const [name, text] of Object.entries(places)) {
      expect(text, `${name} is about this webhook at all`).toContain(made.webhook.id);
      for (const form of secrets.flatMap(formsOf))
        expect(text.includes(form), `${form} in ${name}`).toBe(false);
    }
  });

  test('of a webhook that is registered again with the same Idempotency-Key is the same', async () => {
    const org = await service.organization();
    const body = { url: `${receiver.url}/idempotent` };
    const [first, second] = [
      await register(org, body, { 'idempotency-key': 'k' }),
      await register(org, body, { 'idempotency-key': 'k' }),
    ];
    expect(first.webhook.secret).toMatch(generated);
    expect(second.answer.text).toBe(first.answer.text);
    expect(second.answer.headers['idempotency-replayed']).toBe('true');
    expect(await readAll(org, '/v1/webhooks')).toHaveLength(1);
    const one = await sentNow(org, first.webhook.id, '/idempotent');
    expect(bodyIsSignedWith(first.webhook.secret ?? '', one)).toBe(true);
  });
});

/** As text, and as bytes in the notations of logs and databases. */
function formsOf(secret: string): string[] {
  const bytes = [Buffer.from(secret)];
  if (generated.test(secret)) bytes.push(Buffer.from(secret.slice('whsec_'.length), 'base64'));
  return [
    secret,
    ...bytes.flatMap((one) => [one.toString('hex'), one.toString('base64').replace(/=+$/, '')]),
  ];
}

async function dump(): Promise<string> {
  const { rows: tables } = await service.pool.query(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  );
  const texts = await Promise.all(
    tables.map(({ name }) => service.pool.query(`select t::text as row from "${name}" t`)),
  );
  return texts.flatMap(({ rows }) => rows.map(({ row }) => row)).join('\n');
}

describe('a rotation', () => {
  const [old, young] = ['the-old-secret', 'the-young-secret'];

  test('answers the fields of the webhook, with the new secret only where it was made here', async () => {
    const org = await service.organization();
    const { webhook } = await register(org, { secret: old });
    const known = await org.get(`/v1/webhooks/${webhook.id}`);
    const given = await rotate(org, webhook.id, { secret: young });
    expect(given.status).toBe(200);
    expect(given.body.data).toEqual({ ...known.body.data, updated_at: expect.any(String) });
    expect(given.body.data.updated_at > known.body.data.updated_at).toBe(true);
    for (const body of [undefined, {}]) {
      const made = await rotate(org, webhook.id, body);
      expect(made.status).toBe(200);
      expect(made.body.data).toEqual({
        ...known.body.data,
        updated_at: expect.any(String),
        secret: expect.stringMatching(generated),
      });
    }
  });

  test('overlaps: the body keeps the old signature and the header has both, for a day by default', async () => {
    const org = await service.organization();
    const { webhook, path } = await register(org, { secret: old });
    const { secret } = (await rotate(org, webhook.id)).body.data;
    await loadFacts(org, { partners: [{}], accounts: [{}], partner_accounts: [{}] });
    await expect.poll(() => at(path).length).toBe(1);
    for (const one of [at(path)[0] as Received, await sentNow(org, webhook.id, path)]) {
      expect(bodyIsSignedWith(old, one)).toBe(true);
      expect(bodyIsSignedWith(secret, one)).toBe(false);
      expect(signatures(one)).toBe(2);
      expect(headersAreSignedWith(old, one)).toBe(true);
      expect(headersAreSignedWith(secret, one)).toBe(true);
    }
    const { rows } = await service.pool.query(
      `select (extract(epoch from p.holds_until - w.updated_at) * 1000)::int as left
       from webhooks w join webhook_previous_secrets p on p.org_id = w.org_id and p.webhook_id = w.id where w.id = $1`,
      [webhook.id],
    );
    // On Citus, the two times are from two machines.
    expect(Math.abs(rows[0].left - 86_400_000)).toBeLessThan(inject('nodes').length > 0 ? 1_000 : 1);
  });

  test('ends: once the overlap is over only the new secret signs', async () => {
    const org = await service.organization();
    const { webhook, path } = await register(org, { secret: old });
    await rotate(org, webhook.id, { secret: young, overlap_seconds: 3_600 });
    expect(signatures(await sentNow(org, webhook.id, path))).toBe(2);
    await passSeconds(webhook.id, 3_600);
    expectOnlyYoung(await sentNow(org, webhook.id, path));
  });

  /** Moves the end of every overlap closer. */
  async function passSeconds(id: string, seconds: number): Promise<void> {
    await moveBack(service.pool, {
      table: 'webhook_previous_secrets',
      columns: ['holds_until'],
      by: `${seconds} seconds`,
      where: `webhook_id = '${id}'`,
    });
    await checkNow(service.pool);
  }

  test('within the overlap of another keeps what that one promised: the oldest that holds signs the body, all are in the header', async () => {
    const org = await service.organization();
    const { webhook, path } = await register(org, { secret: old });
    await rotate(org, webhook.id, { secret: 'between-the-two', overlap_seconds: 7_200 });
    expect((await rotate(org, webhook.id, { secret: young, overlap_seconds: 3_600 })).status).toBe(200);
    const first = await sentNow(org, webhook.id, path);
    expect(bodyIsSignedWith(old, first)).toBe(true);
    expect(signatures(first)).toBe(3);
    for (const one of [old, 'between-the-two', young]) expect(headersAreSignedWith(one, first)).toBe(true);

    await passSeconds(webhook.id, 3_600);
    const second = await sentNow(org, webhook.id, path);
    expect(bodyIsSignedWith(old, second)).toBe(true);
    expect(signatures(second)).toBe(2);
    expect(headersAreSignedWith('between-the-two', second)).toBe(false);

    await passSeconds(webhook.id, 3_600);
    expectOnlyYoung(await sentNow(org, webhook.id, path));
  });

  test('without an overlap ends every earlier secret immediately', async () => {
    const org = await service.organization();
    const { webhook, path } = await register(org, { secret: old });
    await rotate(org, webhook.id, { secret: 'between-the-two' });
    await rotate(org, webhook.id, { secret: young, overlap_seconds: 0 });
    expectOnlyYoung(await sentNow(org, webhook.id, path));
    expect(await previousSecrets(webhook.id)).toBe(0);
  });

  test('is refused while four earlier secrets hold, and possible again when one has ended', async () => {
    const org = await service.organization();
    const { webhook, path } = await register(org, { secret: old });
    for (const overlap_seconds of [60, 7_200, 7_200, 7_200])
      expect((await rotate(org, webhook.id, { overlap_seconds })).status).toBe(200);
    const refused = await rotate(org, webhook.id, { secret: young });
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({
      code: 'limit_reached',
      message: expect.stringContaining('{"overlap_seconds":0}'),
    });
    expect(headersAreSignedWith(young, await sentNow(org, webhook.id, path))).toBe(false);
    await passSeconds(webhook.id, 60);
    expect((await rotate(org, webhook.id, { secret: young })).status).toBe(200);
    const last = await sentNow(org, webhook.id, path);
    expect([signatures(last), headersAreSignedWith(young, last)]).toEqual([5, true]);
  });

  test('leaves no trace of the old secret once its overlap has ended', async () => {
    const org = await service.organization();
    const { webhook } = await register(org, { secret: old });
    const { rows } = await service.pool.query('select secret from webhooks where id = $1', [webhook.id]);
    await rotate(org, webhook.id, { secret: young, overlap_seconds: 3_600 });
    expect(await dump()).toContain(rows[0].secret.toString('hex'));
    await passSeconds(webhook.id, 3_600);
    await expect.poll(() => previousSecrets(webhook.id)).toBe(0);
    expect(await dump()).not.toContain(rows[0].secret.toString('hex'));
  });

  async function previousSecrets(id: string): Promise<number> {
    const { rows } = await service.pool.query(
      'select count(*) from webhook_previous_secrets where webhook_id = $1',
      [id],
    );
    return rows[0].count;
  }

  test('without an overlap applies immediately', async () => {
    const org = await service.organization();
    const { webhook, path } = await register(org, { secret: old });
    await rotate(org, webhook.id, { secret: young, overlap_seconds: 0 });
    expectOnlyYoung(await sentNow(org, webhook.id, path));
  });

  function expectOnlyYoung(one: Received): void {
    expect(bodyIsSignedWith(young, one)).toBe(true);
    expect(signatures(one)).toBe(1);
    expect(headersAreSignedWith(young, one)).toBe(true);
    expect(headersAreSignedWith(old, one)).toBe(false);
  }

  test('that is repeated with the same Idempotency-Key happens once', async () => {
    const org = await service.organization();
    const { webhook, path } = await register(org, { secret: old });
    const first = await rotate(org, webhook.id, {}, { 'idempotency-key': 'k' });
    const second = await rotate(org, webhook.id, {}, { 'idempotency-key': 'k' });
    expect(second.text).toBe(first.text);
    const one = await sentNow(org, webhook.id, path);
    expect(bodyIsSignedWith(old, one)).toBe(true);
    expect(headersAreSignedWith(first.body.data.secret, one)).toBe(true);
  });

  test.each([
    [{ overlap_seconds: -1 }, 'overlap_seconds'],
    [{ overlap_seconds: 1.5 }, 'overlap_seconds'],
    [{ overlap_seconds: '60' }, 'overlap_seconds'],
    [{ overlap_seconds: null }, 'overlap_seconds'],
    [{ overlap_seconds: 30 * 86_400 + 1 }, 'overlap_seconds'],
    [{ overlap: 60 }, 'overlap'],
    [[], 'body'],
  ])('with %o is refused, and changes nothing', async (body, field) => {
    const org = await service.organization();
    const { webhook, path } = await register(org, { secret: old });
    const answer = await rotate(org, webhook.id, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details).toMatchObject([{ field }]);
    const one = await sentNow(org, webhook.id, path);
    expect([signatures(one), bodyIsSignedWith(old, one)]).toEqual([1, true]);
  });
});
