import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/error.ts';
import { factKinds } from '../../vocabulary.ts';
import type { Router } from '../router.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The error for a method that a path does not accept: 405 with Allow, or 404 if the path does not exist. */
    refusal(url: string): ApiError;
  }
}

/**
 * Collects every route as it is registered. The router has a tree per method, so it does not know which methods a path
 * accepts, and routes a PATCH of /v1/signals/summary to /v1/signals/:signal_id.
 */
export function refuseOtherMethods(app: Router): (request: FastifyRequest) => Promise<void> {
  const routes = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    routes.set(url, new Set([...(routes.get(url) ?? []), ...[method].flat()]));
  });

  app.decorate('refusal', (url: string) => {
    const path = decodedPath(url);
    const pattern = [...routes.keys()]
      .sort((a, b) => wildness(a) - wildness(b))
      .find((pattern) => toRegExp(pattern).test(path));
    if (pattern === undefined) return new ApiError('not_found', noRoute(path));
    const allow = [...(routes.get(pattern) ?? [])].sort().join(', ');
    return new ApiError('method_not_allowed', `This path supports ${allow}.`, { headers: { Allow: allow } });
  });

  // Runs before the body is read, so that a path without a body does not report an error in it.
  return async (request) => {
    const own = routes.get(decodedPath(request.url));
    if (request.is404 || own?.has(request.method) === false) throw app.refusal(request.url);
  };
}

function noRoute(path: string): string {
  const hint = path.startsWith('/ingest/')
    ? ` Facts are loaded by POST /ingest/v1/${factKinds.join(', /ingest/v1/')}.`
    : '';
  return `There is no such route.${hint} See the API reference at /docs.`;
}

/** Decoded as the router does it; a path that cannot be decoded matches nothing. */
function decodedPath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return '';
  }
}

/** An exact path comes before one with parameters, and that before a wildcard. */
function wildness(pattern: string): number {
  return pattern.split(':').length + (pattern.includes('*') ? 1_000 : 0);
}

function toRegExp(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`);
}
