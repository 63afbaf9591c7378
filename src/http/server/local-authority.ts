import { createPrivateKey, KeyObject, randomUUID, X509Certificate } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../store/db/embedded/make-folder.ts';

export type LocalCertificate = {
  /** PEM text for the server. */
  cert: string;
  key: string;
  /** The CA certificate that clients trust. */
  caFile: string;
  /** Whether this call created a new CA: clients that imported the old `caFile` must import it again. */
  made: boolean;
};

const dayMs = 86_400_000;
const validDays = 397; // browsers refuse more than 398
const renewDays = 30;
const backdateMs = 3_600_000; // for clients whose clock is a little behind

/** The certificate for localhost in `dir`; created if it is missing, damaged or about to expire. */
export async function loadLocalCertificate(options: { dir: string; now: Date }): Promise<LocalCertificate> {
  const { dir, now } = options;
  const caFile = join(dir, 'ca.pem');
  const certFile = join(dir, 'server.pem');
  const keyFile = join(dir, 'server-key.pem');
  try {
    const ca = await readIfThere(caFile);
    const cert = await readIfThere(certFile);
    const key = await readIfThere(keyFile);
    if (isUsable({ ca, cert, key }, now)) return { cert, key, caFile, made: false };

    const fresh = await makeCertificate(now);
    await makeFolder(dir);
    await replace(keyFile, fresh.key, 0o600);
    await replace(certFile, fresh.cert, 0o644);
    await replace(caFile, fresh.ca, 0o644);
    return { cert: fresh.cert, key: fresh.key, caFile, made: true };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot keep the local TLS certificate in ${dir}: ${reason}`, { cause: error });
  }
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

/** False also for files that do not belong together, which a crash between two renames can leave. */
function isUsable(pem: { ca: string; cert: string; key: string }, now: Date): boolean {
  try {
    const ca = new X509Certificate(pem.ca);
    const cert = new X509Certificate(pem.cert);
    return (
      cert.verify(ca.publicKey) &&
      cert.checkPrivateKey(createPrivateKey(pem.key)) &&
      Date.parse(cert.validFrom) <= now.getTime() &&
      Date.parse(cert.validTo) >= now.getTime() + renewDays * dayMs
    );
  } catch {
    return false;
  }
}

/** The file has its mode from the first byte, and readers see the old or the new text, never a part. */
async function replace(file: string, text: string, mode: number): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  try {
    await writeFile(temporary, text, { flag: 'wx', mode, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * The CA signs this one certificate, and its private key is then discarded: it is never written and not exportable. So
 * trusting ca.pem means trusting nothing else, whatever leaks later. The cost is that a renewal needs a new CA.
 */
async function makeCertificate(now: Date): Promise<{ ca: string; cert: string; key: string }> {
  const x509 = await loadX509();
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const caKeys = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  const serverKeys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const notBefore = new Date(now.getTime() - backdateMs);
  const notAfter = new Date(notBefore.getTime() + validDays * dayMs);
  const caName = `CN=Partner Signals local authority ${now.toISOString().slice(0, 10)}`;

  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: caName,
    keys: caKeys,
    notBefore,
    notAfter,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
      new x509.Extension('2.5.29.30', true, onlyLocalhost(x509)),
    ],
  });
  const server = await x509.X509CertificateGenerator.create({
    subject: 'CN=localhost',
    issuer: caName,
    publicKey: serverKeys.publicKey,
    signingKey: caKeys.privateKey,
    notBefore,
    notAfter,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
      ]),
      await x509.SubjectKeyIdentifierExtension.create(serverKeys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const key = KeyObject.from(serverKeys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { ca: `${ca.toString('pem')}\n`, cert: `${server.toString('pem')}\n`, key: String(key) };
}

/** NameConstraints of RFC 5280, 4.2.1.10: permittedSubtrees [0], each a sequence with one general name. */
function onlyLocalhost(x509: X509): Uint8Array<ArrayBuffer> {
  const names = [
    new x509.GeneralName('dns', 'localhost'),
    new x509.GeneralName('ip', '127.0.0.1/32'),
    new x509.GeneralName('ip', '::1/128'),
  ];
  const subtrees = names.map((name) => tagged(0x30, Buffer.from(name.rawData)));
  return tagged(0x30, tagged(0xa0, Buffer.concat(subtrees)));
}

/** One byte of length is enough for contents below 128 bytes. */
function tagged(tag: number, content: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(tag, content.length, ...content);
}

type X509 = typeof import('@peculiar/x509');

/** Loaded only to create a certificate, because it takes a while. */
async function loadX509(): Promise<X509> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
