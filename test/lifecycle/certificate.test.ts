import { copyFile, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { watchCertificate } from '../../src/http/server/certificate.ts';
import { loadLocalCertificate } from '../../src/http/server/local-authority.ts';
import { createLogger } from '../../src/http/server/log.ts';
import { createDatabase, operatorKey, sharedEnv, startTestService } from '../harness.ts';
import { type ServiceProcess, spawnService } from '../process.ts';

const dayMs = 86_400_000;

let dir: string;
let dataDir: string;
let databaseUrl: string;
let service: ServiceProcess | undefined;

beforeAll(async () => {
  databaseUrl = await createDatabase();
});
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ps-cert-'));
  dataDir = join(dir, 'data');
});
afterEach(async () => {
  service?.child.kill('SIGINT');
  await service?.ended;
  service = undefined;
  await rm(dir, { recursive: true, force: true });
});

/** A certificate for localhost, made that many days ago: it is good for 397. */
async function make(name: string, daysAgo = 0) {
  const folder = join(dir, name);
  const made = await loadLocalCertificate({ dir: folder, now: new Date(Date.now() - daysAgo * dayMs) });
  const file = (kind: string) => join(folder, kind);
  return { ...made, certFile: file('server.pem'), keyFile: file('server-key.pem') };
}

async function start(certFile: string, keyFile: string, caFile: string): Promise<ServiceProcess> {
  service = await spawnService(
    { ...sharedEnv(databaseUrl), DATA_DIR: dataDir, TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile },
    caFile,
  );
  return service;
}

/** The certificate that a new connection gets, as PEM. */
function served({ url }: ServiceProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect(
      { host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false },
      () => {
        resolve(pem(socket.getPeerX509Certificate()?.toString() ?? ''));
        socket.destroy();
      },
    );
    socket.on('error', reject);
  });
}

/** Ignores the certificate, which no client would accept. */
function metrics(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${operatorKey}` };
    get(`${url}/metrics`, { rejectUnauthorized: false, headers }, async (response) => {
      resolve(Buffer.concat(await response.toArray()).toString());
    }).on('error', reject);
  });
}

/** Atomically: a check in between finds the one or the other, never half a file. */
async function replace(file: string, by: string): Promise<void> {
  await copyFile(by, `${file}.new`);
  await rename(`${file}.new`, file);
}

const pem = (text: string) => text.replace(/\s+/g, '\n').trim();
const lines = (text: string, part: string) => text.split('\n').filter((line) => line.includes(part));

describe('with TLS_CERT_FILE', () => {
  test('a new certificate behind a swapped link is used without a signal, and connections that are open go on', async () => {
    const [old, fresh] = [await make('v1'), await make('v2')];
    // As Kubernetes mounts a secret: the files are links through a link, which is replaced.
    await symlink('v1', join(dir, '..data'));
    await symlink('..data/server.pem', join(dir, 'tls.crt'));
    await symlink('..data/server-key.pem', join(dir, 'tls.key'));
    const { call } = await start(join(dir, 'tls.crt'), join(dir, 'tls.key'), old.caFile);
    expect((await call('GET', '/healthz')).status).toBe(200);
    await symlink('v2', join(dir, '..new'));
    await rename(join(dir, '..new'), join(dir, '..data'));
    await expect.poll(() => served(service as ServiceProcess)).toBe(pem(fresh.cert));
    // This client trusts only the old CA: a new connection would fail.
    expect((await call('GET', '/healthz')).status).toBe(200);
  });

  test('SIGHUP loads it at once; while the key is still that of the old one, the old pair stays, and one line says so', async () => {
    const [old, fresh] = [await make('old'), await make('fresh')];
    const [certFile, keyFile] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
    await copyFile(old.certFile, certFile);
    await copyFile(old.keyFile, keyFile);
    const { child, output } = await start(certFile, keyFile, old.caFile);
    child.kill('SIGHUP');
    await expect.poll(output).toContain('the certificate has not changed');

    await replace(certFile, fresh.certFile);
    child.kill('SIGHUP');
    await expect.poll(output).toContain('the old one stays');
    child.kill('SIGHUP');
    child.kill('SIGHUP');
    expect(await served(service as ServiceProcess)).toBe(pem(old.cert));

    await replace(keyFile, fresh.keyFile);
    child.kill('SIGHUP');
    await expect.poll(output).toContain('a new certificate is in use');
    expect(await served(service as ServiceProcess)).toBe(pem(fresh.cert));
    expect(lines(output(), 'the old one stays')).toHaveLength(1);
    expect(lines(output(), 'the old one stays')[0]).toContain(`${keyFile} is not the key of ${certFile}`);
  });

  test.each([
    [390, /^the certificate expires in 6 days$/],
    [400, /^the certificate expired on /],
    [-1, /^the certificate is not valid before /],
  ])(
    'one made %i days ago is a warning at the start, and a number in the metrics',
    async (daysAgo, words) => {
      const { certFile, keyFile } = await make('dated', daysAgo);
      const files = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
      const { logs, url, close } = await startTestService(files, databaseUrl);
      onTestFinished(close);
      const complaints = logs.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
      expect(complaints.map(({ msg }) => msg)).toEqual([expect.stringMatching(words)]);
      const text = await metrics(url);
      const seconds = Number(/^partner_signals_certificate_expires_in_seconds (\S+)$/m.exec(text)?.[1]);
      expect(Math.floor(seconds / 86_400)).toBe(396 - daysAgo);
    },
  );
});

describe('the local certificate', () => {
  test('is renewed by a process that runs on, and SIGHUP does not stop it', async () => {
    service = await spawnService({ ...sharedEnv(databaseUrl), DATA_DIR: dataDir });
    const aged = await make('aged', 380);
    for (const name of ['ca.pem', 'server.pem', 'server-key.pem'])
      await copyFile(join(dir, 'aged', name), join(dataDir, 'tls', name));
    service.child.kill('SIGHUP');
    await expect.poll(service.output).toContain('a new certificate is in use');
    const now = await readFile(join(dataDir, 'tls/server.pem'), 'utf8');
    expect(now).not.toBe(aged.cert);
    expect(await served(service)).toBe(pem(now));
  });
});

test('the warning comes once a day until the certificate is replaced', async () => {
  const [aged, fresh] = [await make('aged', 390), await make('fresh')];
  let current = aged;
  let now = Date.now();
  const logs: string[] = [];
  const watch = watchCertificate({
    current,
    load: async () => current,
    use: () => {},
    pollMs: 3_600_000,
    log: createLogger('info', { write: (line) => void logs.push(line) }),
    now: () => new Date(now),
  });
  for (let hour = 0; hour < 72; hour++) {
    await watch.reload();
    now += 3_600_000;
  }
  const warnings = () => lines(logs.join(''), 'the certificate expires in');
  expect(warnings()).toHaveLength(3);
  current = fresh;
  for (let hour = 0; hour < 72; hour++) {
    await watch.reload();
    now += 3_600_000;
  }
  expect(warnings()).toHaveLength(3);
  await watch.close();
});
