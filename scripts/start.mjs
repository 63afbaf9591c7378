import module from 'node:module';
import { createServer } from 'node:net';
import { prepare } from './prepare.mjs';

// Before anything else, so that nobody waits for an install and a build only to learn this.
await requireFreePort();
await prepare();

// npm does not forward the signal that ends it. Without this, the service would keep running unnoticed.
if (process.env.npm_lifecycle_event === 'start') {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 1_000).unref();
}
// From Node.js 22.8, the next start reuses the compiled code.
module.enableCompileCache?.();
await import('../dist/main.js');

/** The service itself explains other problems with HOST and PORT. */
async function requireFreePort() {
  const host = process.env.HOST || '127.0.0.1';
  const port = Number(process.env.PORT || 8443);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return;
  const server = createServer();
  const error = await new Promise((resolve) => {
    server.once('error', resolve).listen({ host, port }, () => resolve(undefined));
  });
  if (error?.code === 'EADDRINUSE') {
    console.error(
      `Port ${port} is already in use. Stop the program that uses it, or choose another port: PORT=${port < 65_535 ? port + 1 : port - 1} npm start`,
    );
    process.exit(1);
  }
  await new Promise((resolve) => server.close(resolve));
}
