import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { checkDates } from '../../http/certificate.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

/** What the service serves with: its own, or the one that it was given. */
export async function checkCertificate({ tls, dataDir }: Config, url: string): Promise<Finding> {
  const certFile = tls?.certFile ?? join(dataDir, 'tls/server.pem');
  const keyFile = tls?.keyFile ?? join(dataDir, 'tls/server-key.pem');
  if (!tls && !existsSync(certFile)) return ok('certificate', 'for localhost; the first start makes it');
  const renew = tls
    ? 'Put a new one in TLS_CERT_FILE and TLS_KEY_FILE; a running service uses it within 10 seconds.'
    : 'Start the service again: it renews its own.';
  try {
    const certificate = new X509Certificate(await readFile(certFile));
    if (!certificate.checkPrivateKey(createPrivateKey(await readFile(keyFile))))
      return fail('certificate', `${keyFile} is not the key of ${certFile}`, renew);
    const { daysLeft, problem } = checkDates(certificate, new Date());
    if (problem) return (problem.isUsable ? warn : fail)('certificate', problem.message, renew);
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    if (!certificate.checkHost(host) && !certificate.checkIP(host))
      return warn(
        'certificate',
        `is for ${certificate.subjectAltName}, not for ${host}`,
        'Use one of these names in --url, unless a proxy there has a certificate of its own.',
      );
    return ok('certificate', `good for ${daysLeft} days, for ${certificate.subjectAltName}`);
  } catch (error) {
    return fail('certificate', `cannot be read: ${reasonOf(error)}`, renew);
  }
}
