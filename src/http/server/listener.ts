import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import type { Certificate } from './certificate.ts';

export type Listener = {
  address(): { host: string; port: number };
  /** Connections from now on get this certificate; throws, and keeps the old one, when it is not usable. */
  setCertificate(certificate: Certificate): void;
  /**
   * From now on answers carry `Connection: close`. Goes on accepting for `delayMs`, then stops, closes the connections
   * that stay idle, lets requests in flight finish and destroys what is left `graceMs` later.
   */
  close(options: { delayMs?: number; graceMs: number }): Promise<void>;
};

export type ListenerOptions = {
  tls: Certificate;
  /** Gets the requests of both kinds; `request.socket` is a `TLSSocket` (`encrypted: true`) for TLS only. */
  handler: http.RequestListener;
  /**
   * For what never becomes a request: bytes that are not HTTP, headers that are too long or too slow, CONNECT.
   * May write one answer to the socket, which is closed when the promise settles.
   */
  clientError: (error: NodeJS.ErrnoException, socket: Duplex) => void | Promise<void>;
  /** A connection failed on our side: the system refused it, or clientError threw. The others go on. */
  acceptError: (error: Error) => void;
  timeouts?: Partial<typeof defaultTimeouts>;
};

const defaultTimeouts = {
  firstByteMs: 10_000,
  handshakeMs: 10_000,
  headersMs: 20_000,
  /** How often headersMs is looked at. */
  checkMs: 5_000,
  keepAliveMs: 65_000, // above the 60 s of common load balancers, so that they close first
  /**
   * Without a byte in either direction while a request is under way. There is no limit on a whole request: an upload
   * that makes progress may take hours.
   */
  stalledMs: 120_000,
  /** For what still comes once its answer is sent: nobody without a key can hold a connection by trickling a body. */
  unreadMs: 10_000,
  /** How long after the last accept an idle connection stays open: its first request may be under way. */
  lastRequestMs: 500,
};

/** Forward secrecy and authenticated encryption only. */
const tlsOptions: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
};

const tlsHandshakeByte = 0x16;

/**
 * One port for TLS and for plain HTTP: the first byte of a connection tells which. Plain HTTP is answered by the same
 * handler, so that the application can refuse it in its own words.
 */
export function createListener(options: ListenerOptions): {
  listen(host: string, port: number): Promise<Listener>;
} {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const httpOptions = {
    headersTimeout: timeouts.headersMs,
    requestTimeout: 0,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: timeouts.checkMs,
    requireHostHeader: false, // the application refuses it, in its own words
  };
  const secure = https.createServer({
    ...httpOptions,
    ...tlsOptions,
    ...options.tls,
    handshakeTimeout: timeouts.handshakeMs,
  });
  const plain = http.createServer(httpOptions);
  const front = net.createServer({ allowHalfOpen: true, noDelay: true }); // as http.createServer has it

  const accepted = new Set<net.Socket>();
  /** What each connection has still to answer; a connection in its TLS handshake is in `accepted` only. */
  const connections = new Map<Duplex, Set<http.ServerResponse>>();
  let closed: Promise<void> | undefined;

  front.on('connection', (socket) => {
    accepted.add(socket);
    socket.once('close', () => accepted.delete(socket));
    track(socket);
    readFirstByte(socket, timeouts.firstByteMs, (byte) => {
      if (byte === tlsHandshakeByte) {
        connections.delete(socket);
        socket.allowHalfOpen = false; // as https.createServer has it
        secure.emit('connection', socket);
      } else {
        plain.emit('connection', socket);
        socket.resume();
      }
    });
  });
  secure.on('secureConnection', track);
  secure.prependListener('tlsClientError', (_error, socket) => socket.destroy()); // no answer can reach it
  for (const server of [secure, plain]) {
    server.timeout = timeouts.stalledMs;
    server.on('request', onRequest);
    server.on('checkExpectation', onRequest);
    server.on('connect', (_request, socket) => onClientError(new Error('CONNECT is not supported'), socket));
    server.on('clientError', onClientError);
  }

  function track(socket: net.Socket): void {
    socket.on('error', () => {}); // it closes the socket; unheard, it would end the process
    void socket.remoteAddress; // asked for once, it is known even after the client has gone
    connections.set(socket, new Set());
    socket.once('close', () => connections.delete(socket));
  }

  function onRequest(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { socket } = request;
    const answers = connections.get(socket);
    // clientError has answered: the headers came too late. Or we have closed: what cannot be answered is not done either.
    if (!answers || socket.writableEnded) return;
    answers.add(response);
    if (closed) response.shouldKeepAlive = false;
    response.once('close', () => {
      answers.delete(response);
      // One that was told to keep its connection may be using it again already: it is closed once it stays idle.
      if (!request.complete && !socket.destroyed) destroyUnlessClosed(request, socket);
    });
    options.handler(request, response);
  }

  async function onClientError(error: Error, socket: Duplex): Promise<void> {
    const answers = connections.get(socket);
    if (!answers) return; // no TLS yet, or answered already
    connections.delete(socket);
    // A second answer in the middle of one that has begun would pass for a part of it; and none may begin now.
    if (!socket.writable || [...answers].some((answer) => answer.headersSent)) {
      socket.destroy();
      return;
    }
    for (const answer of answers) if (answer.socket) answer.detachSocket(answer.socket);
    destroyUnlessClosed(socket, socket);
    try {
      await options.clientError(error, socket);
    } catch (failure) {
      options.acceptError(failure as Error);
    }
    // To close with bytes unread would reset the connection, and the answer could be lost with it.
    socket.end();
    socket.resume();
  }

  function destroyUnlessClosed(stream: Readable, socket: Duplex): void {
    const timer = setTimeout(() => socket.destroy(), timeouts.unreadMs).unref();
    stream.once('close', () => clearTimeout(timer));
  }

  async function close(delayMs: number, graceMs: number): Promise<void> {
    for (const answers of connections.values()) for (const answer of answers) answer.shouldKeepAlive = false;
    await delay(delayMs);
    // A turn of the event loop first: what the system has accepted for us already would otherwise be reset.
    await setImmediate();
    const idle = setInterval(() => {
      for (const [socket, answers] of connections)
        if (answers.size === 0) (socket as net.Socket).destroySoon();
    }, timeouts.lastRequestMs);
    const grace = setTimeout(() => {
      // TLS before the socket under it: the other way round has been seen to crash Node (20, 22 and 24).
      for (const socket of [...connections.keys(), ...accepted]) socket.destroy();
    }, graceMs);
    await once(front.close(), 'close');
    clearInterval(idle);
    clearTimeout(grace);
    secure.close();
    plain.close();
  }

  async function listen(host: string, port: number): Promise<Listener> {
    front.listen({ host, port });
    await once(front, 'listening');
    front.on('error', options.acceptError);
    // Neither server listens itself, but this event is what starts their watch over headersTimeout.
    secure.emit('listening');
    plain.emit('listening');
    const bound = front.address() as net.AddressInfo;
    return {
      address: () => ({ host: bound.address, port: bound.port }),
      setCertificate: (certificate) => secure.setSecureContext({ ...tlsOptions, ...certificate }),
      close: ({ delayMs = 0, graceMs }) => {
        closed ??= close(delayMs, graceMs);
        return closed;
      },
    };
  }

  return { listen };
}

/** Calls `next` with the byte put back, and the socket paused. */
function readFirstByte(
  socket: net.Socket,
  timeoutMs: number,
  next: (byte: number | undefined) => void,
): void {
  const drop = () => socket.destroy();
  socket.setTimeout(timeoutMs, drop);
  socket.once('end', drop);
  socket.once('data', (chunk) => {
    socket.setTimeout(0, drop);
    socket.off('end', drop);
    socket.pause();
    socket.unshift(chunk);
    next(chunk[0]);
  });
}
