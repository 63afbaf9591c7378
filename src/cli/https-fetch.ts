import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';

type Sent = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | null;
  signal?: AbortSignal;
};

/**
 * The part of fetch that the client uses. The built-in fetch cannot be given a CA certificate at run time, and takes
 * longer to load than most requests take.
 */
export function createHttpsFetch(ca: string[] | undefined): typeof fetch {
  const agent = new Agent({ keepAlive: true, ...(ca ? { ca } : {}) });
  const send = (url: string, { method = 'GET', headers = {}, body = null, signal }: Sent = {}) =>
    new Promise((resolve, reject) => {
      const bytes = Buffer.from(body ?? '');
      const length = body === null ? {} : { 'Content-Length': bytes.length };
      const options = {
        agent,
        method,
        headers: { ...headers, ...length },
        ...(signal ? { signal } : {}),
      };
      request(url, options, (response) => read(response).then(resolve, reject))
        .on('error', reject)
        .end(bytes);
    });
  return send as typeof fetch;
}

async function read(response: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const status = response.statusCode ?? 0;
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name: string) => response.headers[name.toLowerCase()] ?? null },
    text: async () => Buffer.concat(chunks).toString(),
  };
}
