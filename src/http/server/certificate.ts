import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';

export type Certificate = { cert: string; key: string };

export type CertificateWatch = {
  secondsLeft(): number;
  /** Checks now instead of at the next poll, and logs it. */
  reload(): Promise<void>;
  close(): Promise<void>;
};

const dayMs = 86_400_000;
const warnDays = 14;

/** Throws a message for the operator if the files are not a certificate and its key. */
export async function readCertificate(files: { certFile: string; keyFile: string }): Promise<Certificate> {
  const [cert, key] = await Promise.all([readFile(files.certFile, 'utf8'), readFile(files.keyFile, 'utf8')]);
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error(`${files.keyFile} is not the key of ${files.certFile}`);
  createSecureContext({ cert, key }); // throws if the OpenSSL policy refuses them
  return { cert, key };
}

export function checkDates(
  cert: X509Certificate,
  now: Date,
): { daysLeft: number; problem: { isUsable: boolean; message: string } | null } {
  const daysLeft = Math.floor((Date.parse(cert.validTo) - now.getTime()) / dayMs);
  if (Date.parse(cert.validFrom) > now.getTime())
    return { daysLeft, problem: { isUsable: false, message: `is not valid before ${cert.validFrom}` } };
  if (daysLeft < 0) return { daysLeft, problem: { isUsable: false, message: `expired on ${cert.validTo}` } };
  if (daysLeft < warnDays)
    return { daysLeft, problem: { isUsable: true, message: `expires in ${daysLeft} days` } };
  return { daysLeft, problem: null };
}

/**
 * Reloads the certificate every `pollMs`. It compares contents, not file dates, so it does not matter how files are
 * replaced. While only one of certificate and key has been replaced, they do not belong together, and the old pair stays in
 * use.
 */
export function watchCertificate(options: {
  current: Certificate;
  load: () => Promise<Certificate>;
  use: (certificate: Certificate) => void;
  pollMs: number;
  log: Logger;
  now?: () => Date;
}): CertificateWatch {
  const { load, use, pollMs, log, now = () => new Date() } = options;
  let { cert, key } = options.current;
  let lastFailure = '';
  let warnedAt = 0;
  let looking: Promise<boolean> = Promise.resolve(false);

  /** Whether there is a new certificate. */
  async function look(): Promise<boolean> {
    let isNew = false;
    try {
      const found = await load();
      isNew = found.cert !== cert || found.key !== key;
      if (isNew) {
        use(found);
        ({ cert, key } = found);
        log.info({ expires: new X509Certificate(cert).validTo }, 'a new certificate is in use');
      }
      lastFailure = '';
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== lastFailure)
        log.error({ reason }, 'the new certificate cannot be used; the old one stays in use');
      lastFailure = reason;
    }
    if (isNew || now().getTime() - warnedAt >= dayMs) warn();
    return isNew;
  }

  function warn(): void {
    warnedAt = now().getTime();
    const { problem } = checkDates(new X509Certificate(cert), now());
    if (problem) log.warn(`the certificate ${problem.message}`);
  }

  /** One check at a time, so that each sees the result of the one before. */
  function lookNext(): Promise<boolean> {
    looking = looking.then(look);
    return looking;
  }

  warn();
  const timer = setInterval(lookNext, pollMs).unref();
  return {
    secondsLeft: () => (Date.parse(new X509Certificate(cert).validTo) - now().getTime()) / 1000,
    async reload() {
      if (!(await lookNext()) && lastFailure === '') log.info('the certificate has not changed');
    },
    async close() {
      clearInterval(timer);
      await looking;
    },
  };
}
