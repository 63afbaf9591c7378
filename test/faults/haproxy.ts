import { writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { freePort, startChild, until } from './child.ts';

export type Haproxy = {
  port: number;
  /** Resolves when it sends requests to this server. */
  up(server: string): Promise<void>;
};

/** Passes TCP through, so that TLS and keep-alive connections go from the client to the service, and checks /readyz. */
export async function startHaproxy(
  file: string,
  dir: string,
  servers: { name: string; port: number }[],
): Promise<Haproxy> {
  const port = await freePort();
  const socket = join(dir, 'haproxy.sock');
  const settings = `
global
  maxconn 4000
  stats socket ${socket} mode 600 level admin

defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
  retries 3
  option redispatch

frontend clients
  bind 127.0.0.1:${port}
  default_backend api

backend api
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
  http-check expect status 200
  default-server check check-ssl verify none inter 1s fall 2 rise 1
${servers.map((server) => `  server ${server.name} 127.0.0.1:${server.port}`).join('\n')}
`;
  await writeFile(join(dir, 'haproxy.cfg'), settings);
  await startChild({ name: 'haproxy', file, args: ['-f', 'haproxy.cfg', '-db'], dir });
  return {
    port,
    async up(server) {
      await until(`HAProxy to see ${server} as ready`, 30, async () => {
        const lines = (await command(socket, 'show stat')).split('\n').map((line) => line.split(','));
        const [header = []] = lines;
        const row = lines.find((line) => line[0] === 'api' && line[1] === server);
        return row?.[header.indexOf('status')] === 'UP';
      });
    },
  };
}

function command(path: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = createConnection({ path }, () => socket.write(`${line}\n`));
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}
