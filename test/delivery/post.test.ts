import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { RequestListener, ServerResponse } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isPublicAddress } from '../../src/delivery/address-guard.ts';
import { createPoster, type Poster } from '../../src/delivery/post.ts';
import { loadLocalCertificate } from '../../src/http/server/local-authority.ts';
import { within } from '../within.ts';

let dir: string;
let certificate: { cert: string; key: string };
let ca: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'post-'));
  const made = await loadLocalCertificate({ dir, now: new Date() });
  certificate = { cert: made.cert, key: made.key };
  ca = await readFile(made.caFile, 'utf8');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe('a response', () => {
  test('comes with its status, body and latency, and the receiver got exactly what was posted', async () => {
    let request: unknown;
    const receiver = await receive(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk);
      const { method, url, headers, httpVersion } = req;
      request = { method, url, headers, httpVersion, body: Buffer.concat(chunks).toString() };
      res.end('{"ok":true}');
    });
    const outcome = await poster().post(`${receiver.url}/hooks/é?a=1&b=%20`, '{"event":"ü"}', {
      'webhook-id': 'evt_1',
    });
    expect(outcome).toEqual({
      kind: 'response',
      status: 200,
      body: '{"ok":true}',
      latencyMs: expect.any(Number),
      retryAfterSeconds: null,
    });
    expect(request).toMatchObject({
      method: 'POST',
      url: '/hooks/%C3%A9?a=1&b=%20',
      httpVersion: '1.1',
      body: '{"event":"ü"}',
      headers: {
        host: `localhost:${receiver.port}`,
        'webhook-id': 'evt_1',
        'content-type': 'application/json',
        'content-length': '14',
        'user-agent': 'partner-signals/1',
      },
    });
  });

  test.each([200, 204, 400, 410, 429, 500, 503])('%i is only reported', async (status) => {
    const receiver = await receive((_req, res) => res.writeHead(status).end());
    expect(await poster().post(receiver.url, '{}', {})).toMatchObject({ kind: 'response', status, body: '' });
  });

  test.each([301, 302, 303, 307, 308])('%i is not followed', async (status) => {
    const elsewhere = await receive((_req, res) => res.end());
    const receiver = await receive((_req, res) =>
      res.writeHead(status, { location: elsewhere.url }).end('moved'),
    );
    expect(await poster().post(receiver.url, '{}', {})).toMatchObject({
      kind: 'response',
      status,
      body: 'moved',
    });
    expect(elsewhere.connections()).toBe(0);
  });

  test.each([
    ['120', 120],
    ['0', 0],
    [new Date(Date.now() - 60_000).toUTCString(), 0],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['Foo 1', null],
    ['9'.repeat(400), null],
    ['', null],
  ])('Retry-After: %s gives %j', async (header, seconds) => {
    const receiver = await receive((_req, res) => res.writeHead(429, { 'retry-after': header }).end());
    expect(await poster().post(receiver.url, '{}', {})).toMatchObject({
      status: 429,
      retryAfterSeconds: seconds,
    });
  });

  test('Retry-After as a date gives the seconds until then', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const receiver = await receive((_req, res) => res.writeHead(503, { 'retry-after': date }).end());
    const outcome = await poster().post(receiver.url, '{}', {});
    const seconds = outcome.kind === 'response' ? (outcome.retryAfterSeconds ?? 0) : 0;
    expect(seconds).toBeGreaterThan(3_500);
    expect(seconds).toBeLessThanOrEqual(3_600);
  });

  test('keeps the first 1 KiB of the body, without half a character', async () => {
    const receiver = await receive((_req, res) => res.end(`${'a'.repeat(1023)}é and more`));
    expect(await poster().post(receiver.url, '{}', {})).toMatchObject({ body: 'a'.repeat(1023) });
  });

  test('has a body that can be stored whatever was sent', async () => {
    const receiver = await receive((_req, res) =>
      res.end(Buffer.from([0x61, 0, 0xff, 0xed, 0xa0, 0x80, 0x62])),
    );
    const outcome = await poster().post(receiver.url, '{}', {});
    const body = outcome.kind === 'response' ? outcome.body : '';
    expect(body).toMatch(/^a\ufffd+b$/);
  });

  test('of 100 MB is cut: the receiver gets rid of little more than 64 KiB and what the sockets buffer', async () => {
    const chunk = Buffer.alloc(65_536, 'x');
    let accepted = 0;
    const receiver = await receive(async (_req, res) => {
      res.on('error', () => {});
      while (accepted < 100_000_000 && !res.destroyed) {
        accepted += chunk.length;
        if (!res.write(chunk)) await Promise.race([once(res, 'drain'), once(res, 'close')]);
      }
    });
    expect(await poster().post(receiver.url, '{}', {})).toMatchObject({
      status: 200,
      body: 'x'.repeat(1024),
    });
    await receiver.allClosed();
    expect(accepted).toBeLessThan(8_000_000);
  });

  test('stays a response when its body drips until the time-out', async () => {
    const receiver = await receive((_req, res) => {
      res.write('x');
      const timer = setInterval(() => res.write('x'), 20);
      res.on('close', () => clearInterval(timer));
    });
    const startedMs = performance.now();
    const outcome = await poster({ timeoutMs: 500 }).post(receiver.url, '{}', {});
    const tookMs = performance.now() - startedMs;
    expect(outcome).toMatchObject({ kind: 'response', status: 200, body: expect.stringMatching(/^x+$/) });
    expect(outcome.latencyMs).toBeLessThanOrEqual(tookMs);
    expect(tookMs).toBeGreaterThan(450);
    expect(tookMs).toBeLessThan(3_000);
    await receiver.allClosed();
  });

  test('stays a response when the connection breaks in the middle of its body', async () => {
    const receiver = await receiveBytes((socket) => {
      socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy());
    });
    expect(await poster().post(receiver.url, '{}', {})).toMatchObject({ status: 202, body: 'half' });
  });
});

describe('a failure says why', () => {
  test.each([
    ['hangs before TLS', () => accept(() => {})],
    ['hangs before the status', () => receive(() => {})],
    [
      'drips its headers',
      () =>
        receiveBytes((socket) => {
          socket.write('HTTP/1.1 200 OK\r\nx: ');
          const timer = setInterval(() => socket.write('x'), 20);
          socket.on('close', () => clearInterval(timer));
        }),
    ],
    [
      'says 103 again and again',
      () =>
        receiveBytes((socket) => {
          const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
          socket.on('close', () => clearInterval(timer));
        }),
    ],
  ])('when the receiver %s: timed out, and the socket is closed', async (_case, start) => {
    const receiver = await start();
    const outcome = await poster({ timeoutMs: 500 }).post(receiver.url, '{}', {});
    expect(outcome).toMatchObject({ kind: 'failure', error: 'timed out after 0.5 s' });
    expect(outcome.latencyMs).toBeGreaterThan(450);
    expect(outcome.latencyMs).toBeLessThan(3_000);
    await receiver.allClosed();
  });

  test('when the name server hangs: timed out', async () => {
    const post = poster({ timeoutMs: 500, lookup: () => new Promise(() => {}) });
    const outcome = await post.post('https://slow.example/', '{}', {});
    expect(outcome).toMatchObject({ kind: 'failure', error: 'timed out after 0.5 s' });
  });

  test('when the connection comes too late: timed out, and nothing is sent', async () => {
    let requests = 0;
    const receiver = await receive((_req, res) => res.end(String(++requests)));
    const found: ((addresses: string[]) => void)[] = [];
    const post = poster({ timeoutMs: 500, lookup: () => new Promise((resolve) => found.push(resolve)) });
    const outcome = await post.post(receiver.url, '{}', {});
    expect(outcome).toMatchObject({ kind: 'failure', error: 'timed out after 0.5 s' });
    found[0]?.(['127.0.0.1']);
    await post.close();
    expect(requests).toBe(0);
  });

  test('when the host name not found', async () => {
    expect(await poster().post('https://receiver.invalid/', '{}', {})).toMatchObject({
      kind: 'failure',
      error: 'host name not found',
    });
  });

  test('when nobody listens', async () => {
    const receiver = await accept(() => {});
    await receiver.close();
    for (const host of ['127.0.0.1', 'localhost']) {
      expect(await poster().post(`https://${host}:${receiver.port}/`, '{}', {})).toMatchObject({
        kind: 'failure',
        error: 'connection refused',
      });
    }
  });

  test.each([
    ['closes instead of TLS', () => accept((socket) => socket.destroy())],
    ['resets instead of an answer', () => receiveBytes((socket) => socket.destroy())],
    ['resets', () => resetting()],
    [
      'closes in the middle of the headers',
      () => receiveBytes((socket) => socket.end('HTTP/1.1 200 OK\r\nx: ')),
    ],
  ])('when the receiver %s: connection closed', async (_case, start) => {
    const receiver = await start();
    const outcome = await poster().post(receiver.url, '{}', {});
    expect(outcome).toMatchObject({ kind: 'failure', error: 'connection closed' });
  });

  test.each([
    ['plain HTTP', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['garbage', '\x01\x02\x03'.repeat(100)],
  ])('when the receiver speaks %s instead of TLS', async (_case, answer) => {
    const receiver = await accept((socket) => socket.write(answer));
    const outcome = await poster().post(receiver.url, '{}', {});
    expect(outcome).toMatchObject({ kind: 'failure', error: 'TLS handshake failed' });
  });

  test('when the receiver speaks something else than HTTP', async () => {
    const receiver = await receiveBytes((socket) => socket.end('220 mail.example ESMTP\r\n'));
    const outcome = await poster().post(receiver.url, '{}', {});
    expect(outcome).toMatchObject({ kind: 'failure', error: 'the response is not HTTP' });
  });

  test('when the headers are too large', async () => {
    const receiver = await receive((_req, res) =>
      res.writeHead(200, { 'x-large': 'x'.repeat(100_000) }).end(),
    );
    const outcome = await poster().post(receiver.url, '{}', {});
    expect(outcome).toMatchObject({ kind: 'failure', error: 'response headers too large' });
  });

  test('when the certificate is of an unknown authority, and nothing is sent', async () => {
    let requests = 0;
    const receiver = await receive(() => requests++);
    const strict = closing(createPoster({ allowPrivate: true }));
    const outcome = await strict.post(receiver.url, '{}', {});
    expect(outcome).toMatchObject({ kind: 'failure', error: expect.stringMatching(/^certificate: /) });
    expect(requests).toBe(0);
  });

  test('when the certificate is for another name, and nothing is sent', async () => {
    let requests = 0;
    const receiver = await receive(() => requests++);
    const post = poster({ lookup: async () => ['127.0.0.1'] });
    const outcome = await post.post(`https://other.example:${receiver.port}/`, '{}', {});
    expect(outcome).toMatchObject({
      kind: 'failure',
      error: expect.stringMatching(/^certificate: .*other\.example/),
    });
    expect(requests).toBe(0);
  });

  test.each([
    ['http://localhost/', {}, 'not an https address'],
    ['file:///etc/passwd', {}, 'not an https address'],
    ['nonsense', {}, 'not a valid URL'],
    ['https://256.256.256.256/', {}, 'not a valid URL'],
    ['https://localhost/', { 'x-bad': 'a\nb' }, expect.any(String)],
  ])('when %s cannot be sent', async (url, headers, error) => {
    expect(await poster().post(url, '{}', headers)).toMatchObject({ kind: 'failure', error });
  });
});

describe('where private addresses are not allowed', () => {
  test.each([
    ...[
      '127.0.0.1',
      'localhost',
      '[::1]',
      '0x7f.1',
      '2130706433',
      '0177.1',
      '127.1',
      '0',
      '[::ffff:127.0.0.1]',
    ],
    ...['[::]', '127.0.0.1.', '１２７.0.0.1', 'LOCALHOST'],
  ])('https://%s is refused without a connection', async (host) => {
    const receiver = await receive((_req, res) => res.end());
    const guarded = closing(createPoster({ allowPrivate: false, ca }));
    const outcome = await guarded.post(`https://${host}:${receiver.port}/`, '{}', {});
    expect(outcome).toMatchObject({
      kind: 'failure',
      error: expect.stringMatching(/^address not allowed: /),
    });
    expect(receiver.connections()).toBe(0);
  });

  test.each([22, 25, 6667])('port %i belongs to another protocol, and is not connected to', async (port) => {
    const guarded = closing(createPoster({ allowPrivate: true, ca }));
    const outcome = await guarded.post(`https://localhost:${port}/`, '{}', {});
    expect(outcome).toMatchObject({ kind: 'failure', error: `port not allowed: ${port}` });
  });

  test('a name that was public when it was registered and is private now is refused at the socket', async () => {
    const receiver = await receive((_req, res) => res.end());
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    const lookup = async () => answers.shift() ?? [];
    expect((await lookup()).every(isPublicAddress)).toBe(true);
    const guarded = closing(createPoster({ allowPrivate: false, ca, lookup }));
    const outcome = await guarded.post(`https://localhost:${receiver.port}/`, '{}', {});
    expect(outcome).toMatchObject({
      kind: 'failure',
      error: expect.stringMatching(/^address not allowed: localhost/),
    });
    expect(receiver.connections()).toBe(0);
  });

  test.each([
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['2606:4700:4700::1111', '::1']],
    [['fe80::1%lo']],
  ])('a name with the addresses %j is refused, and the reason does not tell them', async (addresses) => {
    const receiver = await receive((_req, res) => res.end());
    const guarded = closing(createPoster({ allowPrivate: false, ca, lookup: async () => addresses }));
    const outcome = await guarded.post(`https://mixed.example:${receiver.port}/`, '{}', {});
    expect(outcome).toMatchObject({
      kind: 'failure',
      error: 'address not allowed: mixed.example is not on the public internet',
    });
    expect(receiver.connections()).toBe(0);
  });
});

describe('connections', () => {
  test('serve several requests, and each goes to the addresses of its one look-up', async () => {
    const receiver = await receive((_req, res) => res.end('ok'));
    let lookups = 0;
    const lookup = async () => {
      lookups++;
      return ['127.0.0.1'];
    };
    const post = poster({ lookup });
    for (let i = 0; i < 10; i++)
      expect(await post.post(receiver.url, '{}', {})).toMatchObject({ status: 200 });
    expect(lookups).toBe(receiver.connections());
    expect(lookups).toBeLessThan(5);
  });

  test('fall back to the next address when the first does not answer', async () => {
    const receiver = await receive((_req, res) => res.end('ok'));
    const post = poster({ lookup: async () => ['::1', '127.0.0.1'] });
    expect(await post.post(receiver.url, '{}', {})).toMatchObject({ status: 200 });
  });

  test('are closed when idle, even where the receiver offers to keep them', async () => {
    const receiver = await receive((_req, res) => res.end('ok'));
    await poster().post(receiver.url, '{}', {});
    const startedMs = performance.now();
    await receiver.allClosed();
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  test('are as many as requests under way: at one origin, none waits for others, and the next ones use them again', async () => {
    const held: ServerResponse[] = [];
    const receiver = await receive((req, res) => {
      if (req.url !== '/held') return res.end();
      held.push(res);
      receiver.seen.emit('request');
    });
    const post = poster();
    const posts = Array.from({ length: 100 }, () => post.post(`${receiver.url}/held`, '{}', {}));
    while (held.length < 100)
      await within(20, () => `${held.length} of 100 requests arrived`, once(receiver.seen, 'request'));
    for (let i = 0; i < 10; i++)
      expect(await post.post(receiver.url, '{}', {})).toMatchObject({ status: 200 });
    expect(receiver.connections()).toBeLessThan(105);
    const open = receiver.connections();
    for (const response of held.splice(0)) response.end();
    for (const outcome of await Promise.all(posts)) expect(outcome).toMatchObject({ status: 200 });
    for (let i = 0; i < 10; i++) {
      const wave = await Promise.all(Array.from({ length: 10 }, () => post.post(receiver.url, '{}', {})));
      for (const outcome of wave) expect(outcome).toMatchObject({ status: 200 });
    }
    expect(receiver.connections() - open).toBeLessThan(10);
  });

  test('are few for a burst to one origin whose answers are quick', async () => {
    const receiver = await receive((_req, res) => res.end());
    const post = poster({ slowMs: 60_000 });
    const outcomes = await Promise.all(Array.from({ length: 300 }, () => post.post(receiver.url, '{}', {})));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 200 });
    // A connection that has just served is for a moment not free yet.
    expect(receiver.connections()).toBeLessThan(60);
  });

  test('end with the poster, after the requests under way', async () => {
    const held: ServerResponse[] = [];
    const receiver = await receive((_req, res) => {
      held.push(res);
      receiver.seen.emit('request');
    });
    const post = poster();
    const outcome = post.post(receiver.url, '{}', {});
    await within(20, 'the request arrives', once(receiver.seen, 'request'));
    const closed = post.close();
    held.shift()?.end('late');
    expect(await outcome).toMatchObject({ status: 200, body: 'late' });
    await closed;
    await receiver.allClosed();
    expect(await post.post(receiver.url, '{}', {})).toMatchObject({ kind: 'failure' });
  });
});

function poster(options: Partial<Parameters<typeof createPoster>[0]> = {}): Poster {
  return closing(createPoster({ allowPrivate: true, ca, ...options }));
}

function closing(post: Poster): Poster {
  onTestFinished(async () => {
    await post.close().catch(() => {}); // a test may have closed it
  });
  return post;
}

/** A receiver that speaks HTTP over TLS. */
function receive(handler: RequestListener): Promise<Receiver> {
  const server = https.createServer({ ...certificate, keepAliveTimeout: 60_000 }, handler);
  return listen(server);
}

/** A receiver that resets the connection when it got the request. */
async function resetting(): Promise<Receiver> {
  const receiver = await receive(() => receiver.reset());
  return receiver;
}

/** A receiver that answers a request over TLS with bytes of its own. */
function receiveBytes(answer: (socket: tls.TLSSocket) => void): Promise<Receiver> {
  const server = tls.createServer(certificate, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  return listen(server);
}

/** A receiver that knows no TLS; `answer` runs when the client has said something. */
function accept(answer: (socket: net.Socket) => void): Promise<Receiver> {
  const server = net.createServer((socket) => {
    socket.once('data', () => answer(socket));
  });
  return listen(server);
}

type Receiver = {
  url: string;
  port: number;
  /** For tests to tell themselves what a handler saw. */
  seen: EventEmitter;
  /** How many connections were ever made. */
  connections(): number;
  reset(): void;
  allClosed(): Promise<void>;
  close(): Promise<void>;
};

async function listen(server: net.Server): Promise<Receiver> {
  const sockets: net.Socket[] = [];
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return {
    url: `https://localhost:${port}`,
    port,
    seen: new EventEmitter(),
    reset: () => sockets.forEach((socket) => void socket.resetAndDestroy()),
    connections: () => sockets.length,
    allClosed: async () => {
      await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
    },
    close,
  };
}
