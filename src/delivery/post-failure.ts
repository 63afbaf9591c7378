/** An error for what this side refuses to send; its text is already for people. */
export function refusal(text: string): Error {
  return Object.assign(new Error(text), { code: refused });
}

/** A short text for people about why no response came. */
export function describeFailure(error: unknown): string {
  // A name with several addresses fails with one error for each of them.
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  if (!(cause instanceof Error)) return 'failed';
  const code = 'code' in cause ? String(cause.code) : '';
  if (code === refused) return short(cause.message);
  const known = texts[code];
  if (known !== undefined) return known;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return 'TLS handshake failed';
  if (certificateCode.test(code)) return short(`certificate: ${cause.message}`);
  if (cause.name === 'HTTPParserError') return 'the response is not HTTP';
  return short(cause.message);
}

const refused = 'REFUSED';

const texts: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  EPIPE: 'connection closed',
  UND_ERR_SOCKET: 'connection closed',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'host name not found',
  ENODATA: 'host name not found',
  EAI_AGAIN: 'host name not found',
  ESERVFAIL: 'host name not found',
  EREFUSED: 'host name not found',
  EBADNAME: 'host name not found',
  EBADRESP: 'host name not found',
  ETIMEOUT: 'name servers do not respond',
  UND_ERR_HEADERS_OVERFLOW: 'response headers too large',
  ERR_INVALID_URL: 'not a valid URL',
};

/** What OpenSSL's verification and Node's check of the name report. */
const certificateCode = /CERT|CRL|ISSUER|SIGNATURE|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH/;

/** Messages may quote what the other side sent, so they may be long and hold a NUL, which PostgreSQL refuses. */
function short(text: string): string {
  return text.replaceAll('\0', '').slice(0, 200).toWellFormed();
}
