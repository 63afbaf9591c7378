import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadLocalCertificate } from '../../src/http/server/local-authority.ts';

const now = new Date();
const files = ['ca.pem', 'server-key.pem', 'server.pem'];
let parent: string;
let dir: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'local-authority-'));
  dir = join(parent, 'data', 'tls');
});
afterEach(() => rm(parent, { recursive: true, force: true }));

test('the files are made once and then reused byte for byte', async () => {
  const first = await loadLocalCertificate({ dir, now });
  const before = await contents();
  const second = await loadLocalCertificate({ dir, now });
  expect(await contents()).toEqual(before);
  expect(first.made).toBe(true);
  expect(second).toEqual({ ...first, made: false });
  expect(before).toMatchObject({ 'server.pem': first.cert, 'server-key.pem': first.key });
});

test('only the key of the server is kept, and only its owner may read it', async () => {
  await loadLocalCertificate({ dir, now });
  expect((await readdir(dir)).sort()).toEqual(files);
  expect(
    Object.values(await contents())
      .join('')
      .match(/PRIVATE KEY-----\n/g),
  ).toHaveLength(2); // begin and end
  expect(await mode('server-key.pem')).toBe(0o600);
  expect(await mode('ca.pem')).toBe(0o644 & ~process.umask());
  expect(await mode('server.pem')).toBe(0o644 & ~process.umask());
});

test('the authority can vouch for this machine alone, and the certificate for nothing but a server', async () => {
  const { cert, caFile } = await loadLocalCertificate({ dir, now });
  const ca = new X509Certificate(await readFile(caFile));
  const server = new X509Certificate(cert);
  expect([ca.ca, server.ca]).toEqual([true, false]);
  expect(server.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
  expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  const criticalNameConstraints = Buffer.from('0603551d1e0101ff', 'hex');
  expect(ca.raw.includes(criticalNameConstraints)).toBe(true);
});

test('it is valid for no longer than browsers allow, and already for a clock that is a little behind', async () => {
  const { cert } = await loadLocalCertificate({ dir, now });
  const { validFrom, validTo } = new X509Certificate(cert);
  expect(days(Date.parse(validTo) - Date.parse(validFrom))).toBeLessThanOrEqual(398);
  expect(Date.parse(validFrom)).toBeLessThan(now.getTime() - 60_000);
});

test('it is renewed when less than 30 days are left, not before', async () => {
  const { cert } = await loadLocalCertificate({ dir, now });
  const end = Date.parse(new X509Certificate(cert).validTo);
  const daysBefore = (count: number) => new Date(end - count * 86_400_000);
  expect((await loadLocalCertificate({ dir, now: daysBefore(31) })).made).toBe(false);
  const renewed = await loadLocalCertificate({ dir, now: daysBefore(29) });
  expect(renewed.made).toBe(true);
  expect(days(Date.parse(new X509Certificate(renewed.cert).validTo) - end)).toBeGreaterThan(360);
  expect((await loadLocalCertificate({ dir, now: daysBefore(29) })).cert).toBe(renewed.cert);
});

for (const file of files) {
  test(`a lost, emptied, cut or foreign ${file} recreates the set`, async () => {
    const path = join(dir, file);
    const other = await loadLocalCertificate({ dir: join(parent, 'other'), now });
    const damages = [
      () => rm(path),
      () => writeFile(path, ''),
      async () => writeFile(path, (await readFile(path)).subarray(0, 100)),
      () => writeFile(path, 'not a certificate\n'),
      async () => writeFile(path, await readFile(join(other.caFile, '..', file))),
    ];
    for (const damage of damages) {
      await loadLocalCertificate({ dir, now });
      await damage();
      const again = await loadLocalCertificate({ dir, now });
      expect(again.made).toBe(true);
      expect(await get(again, 'localhost', again.caFile)).toBe('hello');
      expect((await readdir(dir)).sort()).toEqual(files);
    }
  });
}

test('a folder that cannot hold the files is one line that names it', async () => {
  await mkdir(join(dir, 'server.pem'), { recursive: true });
  const failure = loadLocalCertificate({ dir, now });
  await expect(failure).rejects.toThrow(/^cannot keep the local TLS certificate in .*data.tls: [^\n]+$/);
  await writeFile(join(parent, 'file'), '');
  await expect(loadLocalCertificate({ dir: join(parent, 'file'), now })).rejects.toThrow(/ENOTDIR/);
});

test('Node and curl reach the server by each of its names, and only when they trust ca.pem', async () => {
  const certificate = await loadLocalCertificate({ dir, now });
  const other = await loadLocalCertificate({ dir: join(parent, 'other'), now });
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address));
  for (const host of ['localhost', '127.0.0.1', ...(addresses.includes('::1') ? ['[::1]'] : [])]) {
    expect(await curl(certificate, host, certificate.caFile)).toBe('hello');
    // Node 22.23 takes an IPv6 address for a host name, and so refuses every certificate for one.
    if (host !== '[::1]') expect(await get(certificate, host, certificate.caFile)).toBe('hello');
  }
  await expect(get(certificate, 'localhost', other.caFile)).rejects.toThrow(/certificate/);
  await expect(curl(certificate, 'localhost', other.caFile)).rejects.toThrow(/certificate/);
});

test('making a certificate leaves the global Reflect as it was', async () => {
  const before = Reflect.ownKeys(Reflect);
  await loadLocalCertificate({ dir, now });
  expect(Reflect.ownKeys(Reflect)).toEqual(before);
});

async function contents(): Promise<Record<string, string>> {
  const entries = files.map(async (file) => [file, await readFile(join(dir, file), 'utf8')]);
  return Object.fromEntries(await Promise.all(entries));
}

async function mode(file: string): Promise<number> {
  return (await stat(join(dir, file))).mode & 0o777;
}

function days(ms: number): number {
  return ms / 86_400_000;
}

type Certificate = { cert: string; key: string };

function get(certificate: Certificate, host: string, caFile: string): Promise<string> {
  return withServer(certificate, host, async (url) => {
    const request = https.get(url, { ca: await readFile(caFile), agent: false });
    const [response] = await once(request, 'response');
    return (await response.toArray()).join('');
  });
}

function curl(certificate: Certificate, host: string, caFile: string): Promise<string> {
  return withServer(certificate, host, async (url) => {
    const args = ['--silent', '--show-error', '--noproxy', '*', '--cacert', caFile, url];
    return (await promisify(execFile)('curl', args)).stdout;
  });
}

async function withServer<T>(
  { cert, key }: Certificate,
  host: string,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const server = https.createServer({ cert, key }, (_request, response) => response.end('hello'));
  server.listen(0, host === '[::1]' ? '::1' : '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`https://${host}:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
