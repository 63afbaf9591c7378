import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadLocalCertificate } from '../src/http/server/local-authority.ts';

export type Received = { path: string; headers: IncomingHttpHeaders; body: string; at: number };
type Reply = { status: number; headers?: Record<string, string>; body?: string } | 'hang' | 'cut';

export type Receiver = {
  url: string;
  caFile: string;
  received: Received[];
  /** The response to the next requests; 200 by default. */
  reply: (request: Received) => Reply | Promise<Reply>;
  /** Requests to this path, or all. */
  inFlight(path?: string): { now: number; most: number };
  close(): Promise<void>;
};

/** A webhook receiver over real TLS on loopback. */
export async function startReceiver(): Promise<Receiver> {
  const dir = await mkdtemp(join(tmpdir(), 'ps-recv-'));
  const { cert, key, caFile } = await loadLocalCertificate({ dir, now: new Date() });
  const flying = new Map<string | undefined, { now: number; most: number }>();
  const inFlight = (path?: string) => flying.get(path) ?? { now: 0, most: 0 };
  function count(path: string | undefined, change: number): void {
    const { now, most } = inFlight(path);
    flying.set(path, { now: now + change, most: Math.max(most, now + change) });
  }
  const server = createServer({ cert, key }, async (request, response) => {
    for (const key of [undefined, request.url]) {
      count(key, 1);
      response.once('close', () => count(key, -1));
    }
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return; // the sender died before it was complete
    }
    const one = {
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      at: Date.now(),
    };
    receiver.received.push(one);
    const reply = await receiver.reply(one);
    if (reply === 'hang') return;
    if (reply === 'cut') return request.socket.destroy();
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    caFile,
    received: [],
    reply: () => ({ status: 200 }),
    inFlight,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(dir, { recursive: true, force: true });
    },
  };
  return receiver;
}
