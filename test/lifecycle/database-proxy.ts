import { once } from 'node:events';
import net from 'node:net';
import { inject } from 'vitest';

export type DatabaseProxy = {
  /** The URL, but through the proxy. */
  through(url: string): string;
  /** From now on, nothing gets through in either direction, and no connection is closed. */
  freeze(): void;
  /** Freezes at the first statement, which does not get through either, and resolves then. */
  frozenAtFirstStatement(): Promise<void>;
  close(): Promise<void>;
};

/** A proxy between a service and the PostgreSQL of the tests. Frozen, it acts like a database whose machine has stopped. */
export async function startDatabaseProxy(): Promise<DatabaseProxy> {
  const { host, port } = inject('postgres');
  const sockets = new Set<net.Socket>();
  let isFrozen = false;
  let onStatement: (() => void) | undefined;

  const server = net.createServer((client) => {
    const database = net.connect(
      host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    );
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('data', (chunk) => {
        // Parse and Query messages; the first message of a connection begins with its length.
        if (from === client && onStatement && 'PQ'.includes(String.fromCharCode(chunk[0] ?? 0))) {
          isFrozen = true;
          onStatement();
        }
        if (!isFrozen) to.write(chunk);
      });
      from.on('close', () => {
        sockets.delete(from);
        if (!isFrozen) to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: proxyPort } = server.address() as net.AddressInfo;

  return {
    through: (url) => url.replace(/@\//, `@127.0.0.1:${proxyPort}/`).replace(/\?.*$/, ''),
    freeze() {
      isFrozen = true;
    },
    frozenAtFirstStatement: () =>
      new Promise((resolve) => {
        onStatement = resolve;
      }),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
