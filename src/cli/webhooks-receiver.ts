import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export type Receive = (body: Buffer, headers: IncomingHttpHeaders) => Promise<number>;

/** The service's largest body is far below this. */
const maxBytes = 1024 * 1024;

/** An HTTPS server on loopback that answers each POST with the status that `receive` gives. */
export async function startReceiver(
  dataDir: string,
  port: number,
  receive: Receive,
): Promise<{ url: string; caFile: string; close(): void }> {
  const certificate = await findCertificate(dataDir);
  const server = createServer(certificate, async (request, response) => {
    try {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of request) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw new Error('too large');
        chunks.push(chunk);
      }
      const status = request.method === 'POST' ? await receive(Buffer.concat(chunks), request.headers) : 405;
      response.writeHead(status).end();
    } catch {
      request.socket.destroy();
    }
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(port, '127.0.0.1', listening);
  });
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/`,
    caFile: certificate.caFile,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** That of the local service is only read: making it anew is for the service to do, which serves with it. */
async function findCertificate(dataDir: string) {
  const own = resolve(dataDir, 'tls');
  const files = ['server.pem', 'server-key.pem', 'ca.pem'].map((name) => join(own, name));
  if (files.every((file) => existsSync(file))) {
    const [cert, key] = await Promise.all(files.slice(0, 2).map((file) => readFile(file, 'utf8')));
    return { cert, key, caFile: join(own, 'ca.pem') };
  }
  // Kept from one time to the next, so that a service can be told once to trust it.
  const { loadLocalCertificate } = await import('../http/local-authority.ts');
  return loadLocalCertificate({ dir: join(homedir(), '.partner-signals/tls'), now: new Date() });
}
