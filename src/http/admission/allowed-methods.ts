import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/error.ts';
import type { Router } from '../router.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** What a path answers to a method that it does not take: 405 with Allow, or 404 where there is no such path. */
    refusal(url: string): ApiError;
  }
}

/**
 * Learns every route as it is registered. The router keeps a tree for each method, so it cannot tell which methods a
 * path takes, and leads a PATCH of /v1/signals/summary to /v1/signals/:signal_id.
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
    if (pattern === undefined)
      return new ApiError('not_found', 'There is no such route. See the API reference at /docs.');
    const allow = [...(routes.get(pattern) ?? [])].sort().join(', ');
    return new ApiError('method_not_allowed', `This path supports ${allow}.`, { headers: { Allow: allow } });
  });

  // Before the body is read: a path that takes none must not complain about it.
  return async (request) => {
    const own = routes.get(decodedPath(request.url));
    if (request.is404 || own?.has(request.method) === false) throw app.refusal(request.url);
  };
}

/** Decoded as the router does it; what cannot be decoded names nothing. */
function decodedPath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return '';
  }
}

/** The path itself comes before one with parameters, and that before a wildcard. */
function wildness(pattern: string): number {
  return pattern.split(':').length + (pattern.includes('*') ? 1_000 : 0);
}

function toRegExp(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`);
}
