import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { inject } from 'vitest';

export type TcpProxy = {
  port: number;
  /** Open connections go silent for good: nothing is forwarded, not even a close. */
  freeze(): void;
  /** Breaks all open connections, and accepts no new ones until `accept`. */
  refuse(): void;
  /** Accepts new connections, and forwards them or stays silent. */
  accept(how: 'forward' | 'silence'): void;
  close(): Promise<void>;
};

/** A TCP proxy on loopback to the PostgreSQL of the tests, which only listens on a Unix socket. */
export async function startProxy(port = 0): Promise<TcpProxy> {
  const { host, port: socketPort } = inject('postgres');
  const pairs = new Set<[Socket, Socket]>();
  const frozen = new Set<Socket>();
  let mode: 'forward' | 'silence' | 'refuse' = 'forward';
  const server = createServer((client) => {
    client.on('error', () => {});
    if (mode === 'refuse') return client.resetAndDestroy();
    if (mode === 'silence') return client.pause();
    const upstream = connect(
      host.startsWith('/') ? { path: `${host}/.s.PGSQL.${socketPort}` } : { host, port: socketPort },
    );
    upstream.on('error', () => client.destroy());
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    client.on('close', () => {
      if (!frozen.has(upstream)) upstream.destroy();
      pairs.delete(pair);
    });
    upstream.on('close', () => client.destroy());
    client.pipe(upstream);
    upstream.pipe(client);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const all = new Set<Socket>();
  server.on('connection', (socket) => {
    all.add(socket);
    socket.once('close', () => all.delete(socket));
  });
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).pause();
        upstream.unpipe(client).pause();
        frozen.add(upstream);
      }
    },
    refuse() {
      mode = 'refuse';
      for (const socket of all) socket.resetAndDestroy();
    },
    accept(how) {
      mode = how;
    },
    async close() {
      for (const socket of [...all, ...frozen]) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
