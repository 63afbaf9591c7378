// The receivers of deliveries.ts, as a separate process: one HTTPS server on as many ports as requested, of which some
// accept a request and never respond.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

/** Opens ports and returns their numbers; or waits for events and returns their arrival times. */
export type Order = { open: number; hanging: number } | { expect: string[] };

const dir = process.argv[2] ?? '';
const hanging = new Set<number>();
let expected = new Set<string>();
let arrivals: number[] = [];

const server = createServer(
  { cert: await readFile(join(dir, 'server.pem')), key: await readFile(join(dir, 'server-key.pem')) },
  (request, response) => {
    request.resume().on('end', () => {
      if (hanging.has(request.socket.localPort ?? 0)) return;
      response.end();
      // Duplicates count once.
      if (!expected.delete(String(request.headers['webhook-id']))) return;
      arrivals.push(performance.timeOrigin + performance.now());
      if (expected.size === 0) process.send?.(arrivals);
    });
  },
);
server.keepAliveTimeout = 60_000;

process.on('message', async (order: Order) => {
  if ('expect' in order) {
    expected = new Set(order.expect);
    arrivals = [];
    process.send?.('ready');
    return;
  }
  const ports = await Promise.all(Array.from({ length: order.open }, openPort));
  for (const port of ports.slice(0, order.hanging)) hanging.add(port);
  process.send?.(ports);
});

async function openPort(): Promise<number> {
  const listener = net.createServer((socket) => server.emit('connection', socket));
  await new Promise<void>((resolve) => listener.listen({ port: 0, host: '127.0.0.1', backlog: 64 }, resolve));
  return (listener.address() as AddressInfo).port;
}

process.send?.('ready');
