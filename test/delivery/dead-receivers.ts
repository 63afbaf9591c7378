import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Accepts connections and never responds. */
export async function hangingUrl(): Promise<string> {
  const sockets = new Set<Socket>();
  const server = await listen((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return urlOf(server);
}

/** Nothing listens there. */
export async function deadUrl(): Promise<string> {
  const server = await listen(() => {});
  const url = urlOf(server);
  await new Promise((resolve) => server.close(resolve));
  return url;
}

async function listen(accept: (socket: Socket) => void): Promise<Server> {
  const server = createServer(accept);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function urlOf(server: Server): string {
  return `https://127.0.0.1:${(server.address() as { port: number }).port}/`;
}
