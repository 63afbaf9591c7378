import type { FastifyRequest } from 'fastify';
import type { Keyring } from '../../store/keys/keyring.ts';

/** Some browsers restore cookies on start, so a session also expires. */
const maxAgeMs = 7 * 86_400_000;
const context = 'console session';

/** A cookie with the encrypted key, which no script can read. It lasts until the browser is closed. */
export function sessionCookie(keyring: Keyring, request: FastifyRequest, key: string): string {
  const sealed = keyring.seal(`${Date.now() + maxAgeMs} ${key}`, context).toString('base64url');
  return `${cookieName(request)}=${sealed}; ${attributes}`;
}

export function endedCookie(request: FastifyRequest): string {
  return `${cookieName(request)}=; Max-Age=0; ${attributes}`;
}

/**
 * The key in the browser's session cookie. Browsers also add cookies to requests from other sites. The header tells them
 * apart: without CORS, a browser sends it only for pages of this origin.
 */
export function sessionKey(keyring: Keyring, request: FastifyRequest): string | undefined {
  if (!isFromConsole(request)) return undefined;
  const name = `${cookieName(request)}=`;
  const cookie = request.headers.cookie?.split('; ').find((cookie) => cookie.startsWith(name));
  if (!cookie) return undefined;
  try {
    const sealed = Buffer.from(cookie.slice(name.length), 'base64url');
    const [until, key] = keyring.open(sealed, context).split(' ');
    return Number(until) > Date.now() ? key : undefined;
  } catch {
    // Not issued by this service, or encrypted with a key that is no longer in use.
    return undefined;
  }
}

export function isFromConsole({ headers }: FastifyRequest): boolean {
  // Older browsers do not send `Sec-Fetch-Site`.
  return (
    headers['x-partner-signals-console'] === '1' &&
    ['same-origin', undefined].includes(headers['sec-fetch-site'] as string | undefined)
  );
}

/**
 * `__Host-` keeps other hosts from setting it. Ports share cookies, so the name contains the port: two services can run on
 * one machine.
 */
function cookieName({ host }: FastifyRequest): string {
  return `__Host-partner-signals${/:(\d+)$/.exec(host ?? '')?.[1] ?? ''}`;
}

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';
