import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { checkDates } from '../../http/server/certificate.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

/** The certificate that the service uses: its own, or the one in TLS_CERT_FILE. */
export async function checkCertificate({ tls, dataDir }: Config, url: string): Promise<Finding> {
  const certFile = tls?.certFile ?? join(dataDir, 'tls/server.pem');
  const keyFile = tls?.keyFile ?? join(dataDir, 'tls/server-key.pem');
  if (!tls && !existsSync(certFile)) return ok('certificate', 'for localhost; the first start creates it');
  const renew = tls
    ? 'Replace the files in TLS_CERT_FILE and TLS_KEY_FILE. A running service reloads them within 10 seconds.'
    : 'Restart the service. It renews its own certificate.';
  try {
    const certificate = new X509Certificate(await readFile(certFile));
    if (!certificate.checkPrivateKey(createPrivateKey(await readFile(keyFile))))
      return fail('certificate', `${keyFile} does not belong to ${certFile}`, renew);
    const { daysLeft, problem } = checkDates(certificate, new Date());
    if (problem) return (problem.isUsable ? warn : fail)('certificate', problem.message, renew);
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    if (!certificate.checkHost(host) && !certificate.checkIP(host))
      return warn(
        'certificate',
        `valid for ${certificate.subjectAltName}, not for ${host}`,
        'Use one of these names in --base-url, unless a proxy with its own certificate answers there.',
      );
    return ok('certificate', `valid for ${daysLeft} more days, for ${certificate.subjectAltName}`);
  } catch (error) {
    return fail('certificate', `cannot be read: ${reasonOf(error)}`, renew);
  }
}
