import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from './context.ts';

const apiPolicy = "default-src 'none'; frame-ancestors 'none'";
/** The API reference brings a script and styles of its own, partly inline; nothing may come from another host. */
const pagePolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'";
/** The console is all files of its own, styles included: no inline script or style, and it talks to this host alone. */
const consolePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function securityHeaders(ctx: Context) {
  return async function setSecurityHeaders(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.headers({
      'X-Request-Id': request.id,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policyOf(request.url),
    });
    // Never for the local certificate: the browser would apply it to every other program on localhost, for a year.
    if (ctx.publicCertificate) reply.header('Strict-Transport-Security', 'max-age=31536000');
  };
}

function policyOf(url: string): string {
  if (url.startsWith('/docs')) return pagePolicy;
  return /^\/console([/?]|$)/.test(url) ? consolePolicy : apiPolicy;
}
