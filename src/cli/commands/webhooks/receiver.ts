import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export type Receiver = {
  url: string;
  caFile: string;
  /** Whether the certificate is the one of the local service. */
  isServiceCa: boolean;
  close(): void;
};
export type Receive = (body: Buffer, headers: IncomingHttpHeaders) => Promise<number>;

/** Far above the largest body that the service sends. */
const maxBytes = 1024 * 1024;

/** An HTTPS server on loopback that responds to each POST with the status that `receive` returns. */
export async function startReceiver(dataDir: string, port: number, receive: Receive): Promise<Receiver> {
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
    isServiceCa: certificate.isServiceCa,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The certificate of a local service is only read: the service itself renews it. */
async function findCertificate(dataDir: string) {
  const own = resolve(dataDir, 'tls');
  const files = ['server.pem', 'server-key.pem', 'ca.pem'].map((name) => join(own, name));
  if (files.every((file) => existsSync(file))) {
    const [cert, key] = await Promise.all(files.slice(0, 2).map((file) => readFile(file, 'utf8')));
    return { cert, key, caFile: join(own, 'ca.pem'), isServiceCa: true };
  }
  // Kept for the next time, so that you need to configure a service to trust it only once.
  const { loadLocalCertificate } = await import('../../../http/server/local-authority.ts');
  const dir = join(homedir(), '.partner-signals/tls');
  return { ...(await loadLocalCertificate({ dir, now: new Date() })), isServiceCa: false };
}
