// What would HTTP/2 cost HTTP/1.1 clients? Fastify returns a fixed 12 KB JSON text over TLS to 20 closed loops, once from
// node:https and once from node:http2 with allowHTTP1. The servers run in separate processes and are measured in alternation,
// in an order that changes every round, so that drift of the machine affects all alike. A second node:https server is the
// control: its ratio is the noise.
//
// Run: node scripts/run-typescript.mjs bench/http2.ts. Takes less than 60 s.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import tls from 'node:tls';
import { fastify } from 'fastify';
import { loadLocalCertificate } from '../src/http/server/local-authority.ts';

type ServerKind = 'https' | 'http2';
type Load = { port: number; protocol: 'h1' | 'h2'; connections: number; streams: number; durationMs: number };
type Latency = { requests: number; seconds: number; p50: number; p99: number };
type Sample = Latency & { cpuUs: number };

const rounds = 10;
const durationMs = 600;
const variants: {
  name: string;
  server: ServerKind;
  load: Pick<Load, 'protocol' | 'connections' | 'streams'>;
}[] = [
  { name: 'HTTP/1.1 on https', server: 'https', load: { protocol: 'h1', connections: 20, streams: 1 } },
  {
    name: 'HTTP/1.1 on https (control)',
    server: 'https',
    load: { protocol: 'h1', connections: 20, streams: 1 },
  },
  { name: 'HTTP/1.1 on http2', server: 'http2', load: { protocol: 'h1', connections: 20, streams: 1 } },
  { name: 'HTTP/2, 20 connections', server: 'http2', load: { protocol: 'h2', connections: 20, streams: 1 } },
  {
    name: 'HTTP/2, 1 connection, 20 streams',
    server: 'http2',
    load: { protocol: 'h2', connections: 1, streams: 20 },
  },
];

const [role, dir = '', kind] = process.argv.slice(2);
if (role === 'server') await serve(dir, kind === 'http2' ? 'http2' : 'https');
else if (role === 'client') await generateLoad(dir);
else await compare();

async function compare(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-http2-'));
  const children: ChildProcess[] = [];
  try {
    await loadLocalCertificate({ dir, now: new Date() });
    const client = start(children, 'client', dir);
    const targets = [];
    for (const variant of variants) {
      const server = start(children, 'server', dir, variant.server);
      const port = await ask<number>(server, 'port');
      targets.push({ ...variant, server, port, samples: [] as Sample[] });
    }
    for (let round = -1; round < rounds; round++) {
      for (let turn = 0; turn < targets.length; turn++) {
        const target = targets[(turn + round + 1) % targets.length];
        if (target === undefined) continue;
        const before = await ask<number>(target.server, 'cpu');
        const load: Load = { ...target.load, port: target.port, durationMs };
        const latency = await ask<Latency>(client, load);
        const cpuUs = ((await ask<number>(target.server, 'cpu')) - before) / latency.requests;
        if (round >= 0) target.samples.push({ ...latency, cpuUs }); // the first round warms up
      }
    }
    report(targets);
  } finally {
    for (const child of children) child.kill();
    await rm(dir, { recursive: true, force: true });
  }
}

function report(targets: { name: string; samples: Sample[] }[]): void {
  const base = targets[0]?.samples ?? [];
  console.log(
    `Node ${process.version}; median of ${rounds} rounds; ratios to the first line, lowest to highest`,
  );
  for (const { name, samples } of targets) {
    const ratio = (of: (sample: Sample) => number) =>
      spread(samples.map((sample, round) => of(sample) / of(base[round] ?? sample)));
    const perSecond = median(samples.map((sample) => sample.requests / sample.seconds));
    console.log(
      `${name.padEnd(34)} ${perSecond.toFixed(0).padStart(6)}/s  ${median(
        samples.map((sample) => sample.cpuUs),
      )
        .toFixed(0)
        .padStart(4)} µs` +
        `  throughput ${ratio((sample) => sample.requests / sample.seconds)}` +
        `  server CPU ${ratio((sample) => sample.cpuUs)}` +
        `  p50 ${ratio((sample) => sample.p50)}  p99 ${ratio((sample) => sample.p99)}`,
    );
  }
}

function spread(values: number[]): string {
  return `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)}-${Math.max(...values).toFixed(2)})`;
}

function median(values: number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

function quantile(sorted: number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

function start(children: ChildProcess[], ...args: string[]): ChildProcess {
  const child = fork('scripts/run-typescript.mjs', ['bench/http2.ts', ...args]);
  children.push(child);
  return child;
}

function ask<Answer>(child: ChildProcess, question: string | Load): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('a process of the benchmark ended early'));
    child.once('exit', onExit);
    child.once('message', (answer) => {
      child.off('exit', onExit);
      resolve(answer as Answer);
    });
    child.send(question);
  });
}

async function serve(dir: string, kind: ServerKind): Promise<void> {
  const { cert, key } = await loadLocalCertificate({ dir, now: new Date() });
  const row = {
    id: 'sig_01hzy8v6k3e9q',
    kind: 'overlap',
    partner: 'Example Partner',
    account: 'Example Account',
  };
  const body = JSON.stringify({ data: Array.from({ length: 125 }, () => row) }); // 12 KB
  const url = await listen(kind, { cert, key, allowHTTP1: true }, body);
  process.on('message', (question) => {
    const { user, system } = process.cpuUsage();
    process.send?.(question === 'port' ? Number(new URL(url).port) : user + system);
  });
}

async function listen(kind: ServerKind, https: http2.SecureServerOptions, body: string): Promise<string> {
  const address = { host: '127.0.0.1', port: 0 };
  const type = 'application/json; charset=utf-8';
  if (kind === 'http2') {
    const app = fastify({ http2: true, https });
    app.get('/', (_request, reply) => reply.type(type).send(body));
    return app.listen(address);
  }
  const app = fastify({ https });
  app.get('/', (_request, reply) => reply.type(type).send(body));
  return app.listen(address);
}

async function generateLoad(dir: string): Promise<void> {
  const ca = await readFile(join(dir, 'ca.pem'), 'utf8');
  process.on('message', async (load: Load) => process.send?.(await run(load, ca)));
}

async function run(load: Load, ca: string): Promise<Latency> {
  const connect = load.protocol === 'h2' ? connectHttp2 : connectHttp1;
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => connect(load.port, ca)),
  );
  const latencies: number[] = [];
  const began = performance.now();
  const loops = connections.flatMap((connection) =>
    Array.from({ length: load.streams }, async () => {
      let now = performance.now();
      while (now < began + load.durationMs) {
        await connection.request();
        const after = performance.now();
        latencies.push(after - now);
        now = after;
      }
    }),
  );
  await Promise.all(loops);
  const seconds = (performance.now() - began) / 1_000;
  for (const connection of connections) connection.close();
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

type Connection = { request(): Promise<void>; close(): void };

/** Every response has the same length, so counting bytes is enough: the generator must be cheaper than the server. */
async function connectHttp1(port: number, ca: string): Promise<Connection> {
  const socket = tls.connect({ host: '127.0.0.1', port, ca, ALPNProtocols: ['http/1.1'] });
  await once(socket, 'secureConnect');
  let head = '';
  let expected = 0;
  let received = 0;
  let done = () => {};
  socket.on('data', (chunk) => {
    received += chunk.length;
    if (expected === 0) {
      head += chunk.toString('latin1');
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      if (!head.includes('\r\n\r\n') || length === undefined) return;
      expected = head.indexOf('\r\n\r\n') + 4 + Number(length);
    }
    if (received >= expected) {
      received -= expected;
      done();
    }
  });
  return {
    request: () =>
      new Promise((resolve) => {
        done = resolve;
        socket.write('GET / HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n\r\n');
      }),
    close: () => socket.destroy(),
  };
}

async function connectHttp2(port: number, ca: string): Promise<Connection> {
  const session = http2.connect(`https://localhost:${port}`, { ca });
  await once(session, 'connect');
  return {
    request: () =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':path': '/', accept: 'application/json' });
        stream.on('error', reject);
        stream.on('end', resolve);
        stream.resume();
      }),
    close: () => session.destroy(),
  };
}
