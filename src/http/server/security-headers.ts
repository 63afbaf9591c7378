import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';

const apiPolicy = "default-src 'none'; frame-ancestors 'none'";
/** The console consists of its own files, styles included: no inline script or style, and no other host. */
const consolePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The API reference has its own script and inline styles; nothing may come from another host. */
export function referencePolicy(inlineScript: string): string {
  const hash = createHash('sha256').update(inlineScript).digest('base64');
  return `default-src 'self'; script-src 'self' 'sha256-${hash}'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

export function securityHeaders(ctx: Context) {
  return async function setSecurityHeaders(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.headers({
      'X-Request-Id': request.id,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': /^\/console([/?]|$)/.test(request.url) ? consolePolicy : apiPolicy,
    });
    // Never for the local certificate: the browser would apply it to every other program on localhost, for a year.
    if (ctx.publicCertificate) reply.header('Strict-Transport-Security', 'max-age=31536000');
  };
}
