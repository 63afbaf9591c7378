import { createServer } from 'node:https';
import { verifyWebhook } from '../../src/client/verify-webhook.ts';

type Arrival = { at: number; orgId: string; eventId: string };

export type Receiver = {
  url: string;
  /** By organization, whose ID is the path of its webhook. */
  secrets: Map<string, string>;
  arrivals: Arrival[];
  /** Deliveries with an invalid signature. */
  forged: number;
};

/** Receives every delivery over TLS, and returns 200 only if the signature is valid. */
export async function startReceiver(certificate: { cert: string; key: string }): Promise<Receiver> {
  const server = createServer(certificate, async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return; // the sender died before it was complete
    }
    const orgId = request.url?.slice(1) ?? '';
    const { headers } = request;
    try {
      await verifyWebhook(Buffer.concat(chunks), receiver.secrets.get(orgId) ?? '', { headers });
      receiver.arrivals.push({ at: performance.now(), orgId, eventId: String(headers['webhook-id']) });
      response.writeHead(200).end();
    } catch {
      receiver.forged++;
      response.writeHead(400).end();
    }
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `https://localhost:${(server.address() as { port: number }).port}`,
    secrets: new Map(),
    arrivals: [],
    forged: 0,
  };
  return receiver;
}
