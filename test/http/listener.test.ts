import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';
import { fastify } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createListener, type Listener, type ListenerOptions } from '../../src/http/server/listener.ts';
import { loadLocalCertificate } from '../../src/http/server/local-authority.ts';
import { within } from '../within.ts';

let folder: string;
let certificate: { cert: string; key: string };
let ca: string;
let listener: Listener;
let sockets: net.Socket[];
let clientErrors: (string | undefined)[];
let handled: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'listener-'));
  ({ certificate, ca } = await makeCertificate('first'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  sockets = [];
  clientErrors = [];
  handled = [];
});
afterEach(async () => {
  for (const socket of sockets.reverse()) socket.destroy(); // TLS before the socket under it
  await listener.close({ graceMs: 0 });
});

for (const secure of [true, false]) {
  describe(secure ? 'over TLS' : 'over plain HTTP', () => {
    const get = (path = '/', headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
    const answerTo = async (text: string) => readToEnd(await open(secure, text));

    test('the handler answers, and can tell which of the two it is', async () => {
      await start((request, response) => response.end(`encrypted: ${isEncrypted(request)}`));
      const answer = await answerTo(get('/', 'Connection: close\r\n'));
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(answer).toContain(`encrypted: ${secure}`);
    });

    test('the handler gets requests that Node would answer or drop by itself', async () => {
      await start();
      expect(await answerTo(get('/expect', 'Expect: tea\r\nConnection: close\r\n'))).toContain('200 OK');
      const upgrade = await open(secure, get('/upgrade', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'));
      expect(await readUntil(upgrade, 'done')).toContain('200 OK');
      expect(await answerTo('GET /no-host HTTP/1.1\r\nConnection: close\r\n\r\n')).toContain('200 OK');
      expect(handled).toEqual(['/expect', '/upgrade', '/no-host']);
    });

    const refused = {
      CONNECT: ['CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n', undefined],
      'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'HPE_PAUSED_H2_UPGRADE'],
      'what is not HTTP': ['hello\r\n\r\n', 'HPE_INVALID_METHOD'],
      'headers without end': [get('/', `X: ${'x'.repeat(300_000)}`), 'HPE_HEADER_OVERFLOW'],
    } as const;
    for (const [name, [text, code]] of Object.entries(refused)) {
      test(`${name} goes to clientError, whose answer arrives before the connection ends`, async () => {
        await start();
        expect(await answerTo(text)).toBe('HTTP/1.1 400 Bad Request\r\n\r\nrefused');
        expect(clientErrors).toEqual([code]);
        expect(handled).toEqual([]);
      });
    }

    test('a client that goes on sending for a while can still read why it was refused', async () => {
      await start();
      const socket = await open(secure, 'hello\r\n\r\n');
      for (let more = 0; more < 5; more++) {
        await pause(20);
        await new Promise((resolve) => socket.write('more', resolve));
      }
      expect(await readToEnd(socket)).toContain('refused');
    });

    test('an answer that has begun gets no second one mixed in when the body turns out broken', async () => {
      await start((_request, response) => response.write('begun'));
      const socket = await open(secure, post('Transfer-Encoding: chunked'));
      await readUntil(socket, 'begun');
      socket.write('not a chunk\r\n');
      expect(await readToEnd(socket)).not.toContain('refused');
      expect(clientErrors).toEqual([]);
    });

    test('an answer that has not begun makes way for the refusal of a broken body', async () => {
      await start(async (request, response) => {
        await once(request, 'data');
        setImmediate(() => response.end('too late'));
      });
      const answer = await answerTo(`${post('Transfer-Encoding: chunked')}1\r\nx\r\nnot a chunk\r\n`);
      expect(answer).toBe('HTTP/1.1 400 Bad Request\r\n\r\nrefused');
    });

    test('unfinished headers are given up after headersMs, even if the rest comes after all', async () => {
      await start(undefined, { headersMs: 50, checkMs: 10 });
      const socket = await open(secure, 'GET / HTTP/1.1\r\nHost: local');
      await readUntil(socket, 'refused');
      socket.end('host\r\n\r\n');
      await readToEnd(socket);
      expect(clientErrors).toEqual(['ERR_HTTP_REQUEST_TIMEOUT']);
      expect(handled).toEqual([]);
    });

    test('an upload may take longer than every limit while it makes progress', async () => {
      const limit = 1_000;
      await start(echo, { firstByteMs: limit, handshakeMs: limit, headersMs: limit, checkMs: 10 });
      const socket = await open(secure, post('Content-Length: 20', 'Connection: close'));
      for (let sent = 0; sent < 20; sent++) {
        await pause(limit / 15);
        socket.write('x');
      }
      expect(await readToEnd(socket)).toContain('x'.repeat(20));
    });

    test('an upload that stalls is cut off', async () => {
      await start(echo, { stalledMs: 50 });
      expect(await readToEnd(await open(secure, post('Content-Length: 20')))).toBe('');
    });

    test('a body that trickles on after its answer is cut off; one that ends in time is not', async () => {
      await start((_request, response) => response.writeHead(401).end('no'), { unreadMs: 300 });
      const trickling = await open(secure, post('Content-Length: 1000000'));
      const trickle = setInterval(() => trickling.write('x'), 10);
      expect(await readToEnd(trickling)).toContain('401');
      clearInterval(trickle);

      const ending = await open(secure, post('Content-Length: 5'));
      await readUntil(ending, 'no');
      ending.write('hello');
      await pause(400);
      ending.write(get('/', 'Connection: close\r\n'));
      expect(await readToEnd(ending)).toContain('401');
    });

    test('an idle connection is closed after keepAliveMs', async () => {
      await start(undefined, { keepAliveMs: 50 });
      expect(await answerTo(get())).toContain('Connection: keep-alive');
    });

    test('closing lets requests in flight finish, tells them so, and ends those that stay idle without a reset', async () => {
      const waiting: ServerResponse[] = [];
      const arrivals = new EventEmitter();
      await start((request, response) => {
        if (request.url === '/idle') return void response.end('done');
        if (request.url === '/begun') response.write('begun');
        if (waiting.push(response) === 2) arrivals.emit('both');
      });
      const fresh = await open(secure);
      const idle = await open(secure, get('/idle'));
      await readUntil(idle, 'done');
      const both = next(arrivals, 'both', 'both requests reach the handler');
      const silent = await open(secure, get('/silent'));
      const begun = await open(secure, get('/begun'));
      await both;

      let isClosed = false;
      const closed = listener.close({ graceMs: 60_000 }).then(() => {
        isClosed = true;
      });
      let isReset = false;
      idle.once('error', () => {
        isReset = true;
      });
      expect(await readToEnd(idle)).toBe('');
      expect(isReset).toBe(false);
      expect(await readToEnd(fresh)).toBe('');
      await expect(open(secure)).rejects.toThrow('ECONNREFUSED');
      expect(isClosed).toBe(false);
      for (const response of waiting) response.end('late');
      expect(await readToEnd(silent)).toMatch(/Connection: close\r\n.*late/s);
      expect(await readToEnd(begun)).toContain('late');
      await within(20, 'the listener has closed', closed);
    });

    test('closing goes on accepting for delayMs, and answers the last connection even after that', async () => {
      await start(undefined, { lastRequestMs: 5_000 });
      const kept = await open(secure, get());
      await readUntil(kept, 'done');
      const closed = listener.close({ delayMs: 1_000, graceMs: 60_000 });
      const fresh = await open(secure, get());
      expect(await readToEnd(fresh)).toMatch(/Connection: close\r\n.*done/s);
      const last = await open(secure);
      kept.write(get());
      expect(await readToEnd(kept)).toMatch(/Connection: close\r\n.*done/s);
      await expect
        .poll(() =>
          open(secure).then(
            (socket) => socket.destroy(),
            ({ code }) => code,
          ),
        )
        .toBe('ECONNREFUSED');
      last.write(get());
      expect(await readToEnd(last)).toMatch(/Connection: close\r\n.*done/s);
      await within(20, 'the listener has closed', closed);
    });

    test('closing keeps a connection whose answer promised so, for the request that follows it', async () => {
      const waiting: ServerResponse[] = [];
      const arrivals = new EventEmitter();
      await start((request, response) => {
        if (request.url === '/next') return void response.end('next');
        response.write('begun');
        waiting.push(response);
        arrivals.emit('one');
      });
      const arrived = next(arrivals, 'one', 'the request reaches the handler');
      const socket = await open(secure, get());
      await arrived;
      const closed = listener.close({ delayMs: 1_000, graceMs: 60_000 });
      waiting[0]?.end('late');
      expect(await readUntil(socket, 'late')).toContain('Connection: keep-alive');
      await pause(100);
      socket.write(get('/next'));
      expect(await readToEnd(socket)).toMatch(/Connection: close\r\n.*next/s);
      await within(20, 'the listener has closed', closed);
    });

    test('the address of a client that has gone is known', async () => {
      const gone = new EventEmitter();
      await start((request) => {
        request.socket.once('close', () => gone.emit('address', request.socket.remoteAddress));
      });
      const address = next(gone, 'address', 'the handler hears that the client has gone');
      (await open(secure, get())).destroy();
      expect(await address).toEqual(['127.0.0.1']);
    });

    test('closing destroys what is still there after graceMs', async () => {
      const arrivals = new EventEmitter();
      await start((_request, response) => {
        response.write(Buffer.alloc(20_000_000)); // more than the system takes while nobody reads
        arrivals.emit('one');
      });
      const arrived = next(arrivals, 'one', 'the request reaches the handler');
      const socket = await open(secure, get());
      await arrived;
      await within(20, 'the listener has closed', listener.close({ graceMs: 20 }));
      expect((await readToEnd(socket)).length).toBeLessThan(20_000_000);
    });
  });
}

test('a connection that sends nothing is closed after firstByteMs', async () => {
  await start(undefined, { firstByteMs: 30 });
  expect(await readToEnd(await connect())).toBe('');
});

test('a client that has been refused and does not go away is cut off after unreadMs', async () => {
  await start(undefined, { unreadMs: 50 });
  const socket = await connect({ allowHalfOpen: true });
  socket.write('hello\r\n\r\n');
  const trickle = setInterval(() => socket.write('x'), 10);
  expect(await readToEnd(socket)).toContain('refused');
  clearInterval(trickle);
});

test('a TLS handshake that stops is closed after handshakeMs, and nobody is asked for an answer', async () => {
  await start(undefined, { handshakeMs: 30 });
  const socket = await connect();
  socket.write(Buffer.of(0x16));
  expect(await readToEnd(socket)).toBe('');
  expect(clientErrors).toEqual([]);
});

test('broken connections of every kind leave the listener answering', async () => {
  await start();
  const hello = await clientHello();
  const firsts = ['', Buffer.of(0x16), 'G', 'GET / HTTP/1.1\r\n', hello.subarray(0, 50), hello];
  for (const first of firsts) {
    for (const end of ['resetAndDestroy', 'destroy', 'end'] as const) {
      const socket = await connect();
      if (first.length > 0) await new Promise((resolve) => socket.write(first, resolve));
      socket[end]();
    }
  }
  const garbage = await connect();
  garbage.write(Buffer.from('160301000a00000000000000000000', 'hex'));
  await readToEnd(garbage);
  await open(true, 'GET / HTTP/1.1\r\nHost: local');
  sockets.at(-2)?.resetAndDestroy(); // the connection under TLS
  expect(await getOverTls()).toBe('done');
});

test('connections that have gone are forgotten', async () => {
  await start();
  for (const secure of [true, false]) (await open(secure, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).destroy();
  await getOverTls();
  await within(20, 'the listener closes without waiting for them', listener.close({ graceMs: 60_000 }));
});

test('old protocol versions and ciphers and HTTP/2 are refused, HTTP/1.1 is agreed on', async () => {
  await start();
  const old = { ciphers: 'ALL:@SECLEVEL=0', minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
  await expect(handshake({ ca, ...old })).rejects.toThrow(/alert|version/);
  await expect(handshake({ ca, ...cipherBlockChaining })).rejects.toThrow(/alert/);
  await expect(handshake({ ca, ALPNProtocols: ['h2'] })).rejects.toThrow(/alert/);
  expect(await handshake({ ca, maxVersion: 'TLSv1.2' })).toEqual(['TLSv1.2', false]);
  expect(await handshake({ ca, ALPNProtocols: ['h2', 'http/1.1'] })).toEqual(['TLSv1.3', 'http/1.1']);
});

test('a clientError that fails is reported, and its connection is closed all the same', async () => {
  const failures: string[] = [];
  const failing = createListener({
    ...options(),
    clientError: () => Promise.reject(new Error('cannot answer')),
    acceptError: (error) => failures.push(error.message),
  });
  listener = await failing.listen('127.0.0.1', 0);
  expect(await readToEnd(await open(false, 'hello\r\n\r\n'))).toBe('');
  expect(failures).toEqual(['cannot answer']);
});

test('a port in use rejects with the error of the system', async () => {
  await start();
  const second = createListener(options());
  await expect(second.listen('127.0.0.1', listener.address().port)).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});

test('a new certificate holds for new connections; an unusable one changes nothing', async () => {
  await start();
  const second = await makeCertificate('second');
  listener.setCertificate(second.certificate);
  await expect(getOverTls()).rejects.toThrow(/certificate/);
  expect(await getOverTls(second.ca)).toBe('done');
  await expect(handshake({ ca: second.ca, ...cipherBlockChaining })).rejects.toThrow(/alert/);
  expect(() => listener.setCertificate({ ...second.certificate, cert: 'nothing' })).toThrow();
  expect(await getOverTls(second.ca)).toBe('done');
});

test('Fastify serves through it, and request.protocol tells TLS from plain', async () => {
  const app = fastify();
  app.get('/', (request) => request.protocol);
  await app.ready();
  await start(app.routing);
  const request = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
  expect(await readToEnd(await open(true, request))).toMatch(/\r\n\r\nhttps$/);
  expect(await readToEnd(await open(false, request))).toMatch(/\r\n\r\nhttp$/);
  await listener.close({ graceMs: 0 });
  await app.close();
});

/** Node itself would accept it. */
const cipherBlockChaining = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' } as const;

async function handshake(options: tls.ConnectionOptions): Promise<unknown[]> {
  const socket = tls.connect({ ...options, host: '127.0.0.1', port: listener.address().port });
  sockets.push(socket);
  await once(socket, 'secureConnect');
  return [socket.getProtocol(), socket.alpnProtocol];
}

function options(handler?: RequestListener, timeouts?: ListenerOptions['timeouts']): ListenerOptions {
  return {
    tls: certificate,
    handler:
      handler ??
      ((request, response) => {
        handled.push(request.url ?? '');
        response.end('done');
      }),
    clientError: async (error, socket) => {
      clientErrors.push(error.code);
      await pause(1); // as one does that counts the address first
      socket.write('HTTP/1.1 400 Bad Request\r\n\r\nrefused');
    },
    acceptError: (error) => {
      throw error;
    },
    ...(timeouts ? { timeouts } : {}),
  };
}

async function start(handler?: RequestListener, timeouts?: ListenerOptions['timeouts']): Promise<void> {
  listener = await createListener(options(handler, timeouts)).listen('127.0.0.1', 0);
}

async function makeCertificate(name: string) {
  const made = await loadLocalCertificate({ dir: join(folder, name), now: new Date() });
  return { certificate: { cert: made.cert, key: made.key }, ca: await readFile(made.caFile, 'utf8') };
}

function isEncrypted(request: IncomingMessage): boolean {
  return request.socket instanceof tls.TLSSocket;
}

const echo: RequestListener = async (request, response) => {
  const body = await request.toArray().catch(() => []);
  response.end(Buffer.concat(body));
};

function post(...headers: string[]): string {
  return ['POST / HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n');
}

async function connect(options: { allowHalfOpen?: boolean } = {}): Promise<net.Socket> {
  const socket = net.connect({ ...options, host: '127.0.0.1', port: listener.address().port });
  sockets.push(socket);
  await once(socket, 'connect');
  socket.on('error', () => {}); // some of these connections are meant to be reset
  return socket;
}

async function open(secure: boolean, text = ''): Promise<net.Socket> {
  let socket = await connect();
  if (secure) {
    socket = tls.connect({ socket, ca, servername: 'localhost' });
    sockets.push(socket);
    await next(socket, 'secureConnect', 'the TLS handshake is over');
    socket.on('error', () => {});
  }
  socket.write(text);
  return socket;
}

/** Resolves when the connection is closed, which many of these tests check. */
async function readToEnd(socket: net.Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const closed = socket.closed || new Promise((resolve) => socket.once('close', resolve));
  await within(
    20,
    () => `the connection is closed; received ${JSON.stringify(text)}`,
    Promise.resolve(closed),
  );
  return text;
}

async function readUntil(socket: net.Socket, end: string): Promise<string> {
  let text = '';
  while (!text.includes(end)) {
    const what = () => `${end} arrives; received ${JSON.stringify(text)}`;
    const [chunk] = await within(20, what, once(socket, 'data'));
    text += chunk;
  }
  return text;
}

/** Resolves when the event comes. */
function next(emitter: EventEmitter, event: string, what: string): Promise<unknown[]> {
  return within(20, what, once(emitter, event));
}

async function getOverTls(trusted = ca): Promise<string> {
  const url = `https://localhost:${listener.address().port}/`;
  const request = https.get(url, { ca: trusted, agent: false, family: 4 });
  const [response] = await once(request, 'response');
  return (await response.toArray()).join('');
}

async function clientHello(): Promise<Buffer> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = tls.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  const [socket] = await once(server, 'connection');
  const [hello] = await once(socket, 'data');
  client.destroy();
  server.close();
  return hello;
}
