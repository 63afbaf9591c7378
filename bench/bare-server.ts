// The baseline of reads.ts, as a separate process: sends the text that it was given last, over TLS, for every request.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const dir = process.argv[2] ?? '';
let body = Buffer.alloc(0);
const server = createServer(
  { cert: readFileSync(join(dir, 'server.pem')), key: readFileSync(join(dir, 'server-key.pem')) },
  (_, response) => {
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
    });
    response.end(body);
  },
);
process.on('message', (text: string) => {
  body = Buffer.from(text);
});
server.keepAliveTimeout = 65_000; // like the service
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
