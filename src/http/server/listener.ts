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
  /** Used for new connections. If the certificate is unusable, it throws and keeps the old one. */
  setCertificate(certificate: Certificate): void;
  /**
   * From now on, responses carry `Connection: close`. The server accepts connections for another `delayMs`, then stops,
   * closes idle connections, lets requests in flight finish, and destroys what is left after `graceMs`.
   */
  close(options: { delayMs?: number; graceMs: number }): Promise<void>;
};

export type ListenerOptions = {
  tls: Certificate;
  /** Handles requests of both kinds; only with TLS, `request.socket` is a `TLSSocket` (`encrypted: true`). */
  handler: http.RequestListener;
  /**
   * For what never becomes a request: bytes that are not HTTP, headers that are too long or too slow, CONNECT. May write one
   * response to the socket, which is closed when the promise settles.
   */
  clientError: (error: NodeJS.ErrnoException, socket: Duplex) => void | Promise<void>;
  /** A connection failed on our side: the system refused it, or clientError threw. Other connections continue. */
  acceptError: (error: Error) => void;
  timeouts?: Partial<typeof defaultTimeouts>;
};

const defaultTimeouts = {
  firstByteMs: 10_000,
  handshakeMs: 10_000,
  headersMs: 20_000,
  /** How often headersMs is checked. */
  checkMs: 5_000,
  keepAliveMs: 65_000, // longer than the 60 s of common load balancers, so that they close first
  /**
   * The longest silence in both directions during a request. There is no limit for a whole request: an upload that makes
   * progress may take hours.
   */
  stalledMs: 120_000,
  /**
   * For a body that still arrives after its response was sent: without a key, nobody can keep a connection open by sending
   * slowly.
   */
  unreadMs: 10_000,
  /** How long an idle connection stays open after the last accept: its first request may be on the way. */
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
 * One port for TLS and plain HTTP: the first byte of a connection tells which. The same handler gets plain HTTP, so that the
 * application can refuse it with a proper error.
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
    requireHostHeader: false, // the application refuses it with a proper error
  };
  const secure = https.createServer({
    ...httpOptions,
    ...tlsOptions,
    ...options.tls,
    handshakeTimeout: timeouts.handshakeMs,
  });
  const plain = http.createServer(httpOptions);
  const front = net.createServer({ allowHalfOpen: true, noDelay: true }); // like http.createServer

  const accepted = new Set<net.Socket>();
  /** The pending responses of each connection. A connection in its TLS handshake is only in `accepted`. */
  const connections = new Map<Duplex, Set<http.ServerResponse>>();
  let closed: Promise<void> | undefined;

  front.on('connection', (socket) => {
    accepted.add(socket);
    socket.once('close', () => accepted.delete(socket));
    track(socket);
    readFirstByte(socket, timeouts.firstByteMs, (byte) => {
      if (byte === tlsHandshakeByte) {
        connections.delete(socket);
        socket.allowHalfOpen = false; // like https.createServer
        secure.emit('connection', socket);
      } else {
        plain.emit('connection', socket);
        socket.resume();
      }
    });
  });
  secure.on('secureConnection', track);
  secure.prependListener('tlsClientError', (_error, socket) => socket.destroy()); // no response can reach it
  for (const server of [secure, plain]) {
    server.timeout = timeouts.stalledMs;
    server.on('request', onRequest);
    server.on('checkExpectation', onRequest);
    server.on('connect', (_request, socket) => onClientError(new Error('CONNECT is not supported'), socket));
    server.on('clientError', onClientError);
  }

  function track(socket: net.Socket): void {
    socket.on('error', () => {}); // the error closes the socket; without a listener it would end the process
    void socket.remoteAddress; // once read, Node remembers it after the client has gone
    connections.set(socket, new Set());
    socket.once('close', () => connections.delete(socket));
  }

  function onRequest(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { socket } = request;
    const answers = connections.get(socket);
    // Either clientError has answered because the headers came too late, or the server has closed: a request that cannot be
    // answered is not run.
    if (!answers || socket.writableEnded) return;
    answers.add(response);
    if (closed) response.shouldKeepAlive = false;
    response.once('close', () => {
      answers.delete(response);
      // A client that was told to keep its connection may already be using it again: it is closed once it is idle.
      if (!request.complete && !socket.destroyed) destroyUnlessClosed(request, socket);
    });
    options.handler(request, response);
  }

  async function onClientError(error: Error, socket: Duplex): Promise<void> {
    const answers = connections.get(socket);
    if (!answers) return; // no TLS yet, or already answered
    connections.delete(socket);
    // A second response inside one that has begun would be read as part of it.
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
    // Closing with unread bytes would reset the connection, and the response could get lost.
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
    // Waits for one iteration of the event loop: connections that the system has already accepted would otherwise be reset.
    await setImmediate();
    const idle = setInterval(() => {
      for (const [socket, answers] of connections)
        if (answers.size === 0) (socket as net.Socket).destroySoon();
    }, timeouts.lastRequestMs);
    const grace = setTimeout(() => {
      // TLS sockets before the sockets under them: the other order has crashed Node 20, 22 and 24.
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
    // Neither server listens itself, but this event starts their checks of headersTimeout.
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
