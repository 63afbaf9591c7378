import { once } from 'node:events';
import type { OnReadOpts } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';

export type Connection = {
  /** Resolves when the whole response has arrived; rejects if it is not a 200. One request at a time. */
  get(path: string, key?: string): Promise<void>;
  close(): void;
};

/**
 * A client for measuring latency. Node's own client allocates 64 KiB for each piece of a response and pauses five times a
 * second for garbage collection, and then sends late requests in one burst, which would look like a slow server. This one
 * reads everything into the same buffer.
 */
export async function openConnection(url: string, ca: string): Promise<Connection> {
  const { host, hostname, port } = new URL(url);
  const buffer = Buffer.alloc(64 * 1024);
  let waiting: { resolve(): void; reject(error: Error): void } | undefined;
  /** Bytes of the response that are still missing; undefined before its head. */
  let missing: number | undefined;

  const options: ConnectionOptions & { onread: OnReadOpts } = {
    host: hostname,
    servername: hostname,
    port: Number(port),
    ca,
    onread: { buffer, callback: onRead },
  };
  const socket = connect(options);
  socket.setNoDelay(true);
  await once(socket, 'secureConnect');
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error(`${url}: the connection was closed`)));

  function onRead(bytes: number): boolean {
    missing = missing === undefined ? missingAfterHead(bytes) : missing - bytes;
    if (missing === 0) {
      missing = undefined;
      waiting?.resolve();
    }
    return true;
  }

  function missingAfterHead(bytes: number): number {
    const end = buffer.subarray(0, bytes).indexOf('\r\n\r\n');
    const head = buffer.toString('latin1', 0, end);
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    if (!head.startsWith('HTTP/1.1 200') || length === undefined) {
      waiting?.reject(new Error(`${url}: ${buffer.toString('latin1', 0, bytes)}`));
      socket.destroy();
    }
    return Number(length) - (bytes - end - 4);
  }

  return {
    get(path, key) {
      const authorization = key ? `authorization: Bearer ${key}\r\n` : '';
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(
          `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${authorization}\r\n`,
          'latin1',
          (error) => error && reject(error),
        );
      });
    },
    close: () => socket.destroy(),
  };
}
