import { ApiError } from '../../contract/error.ts';
import { bearerToken } from '../admission/auth.ts';
import { endedCookie, isFromConsole, sessionCookie, sessionKey } from '../admission/console-session.ts';
import { envelope } from '../answers/answer.ts';
import type { Context } from '../context.ts';
import { open, read } from '../route-table.ts';
import type { Router } from '../router.ts';

/** Turns a key into a browser session for the console. Not part of the API. */
export function consoleSessionRoutes(app: Router, ctx: Context): void {
  const url = '/console/session';
  const schema = { hide: true };

  // Admitted like every other request: the header contains a valid key, and failed attempts count against the limit.
  app.post(url, {
    config: { access: read },
    schema,
    handler: async (request, reply) => {
      const key = bearerToken(request.headers.authorization) as string;
      return reply
        .code(204)
        .header('Set-Cookie', sessionCookie(ctx.keyring, request, key))
        .send();
    },
  });

  app.get(url, {
    config: { access: open },
    schema,
    handler: async (request) =>
      envelope(request, { signed_in: sessionKey(ctx.keyring, request) !== undefined }),
  });

  app.delete(url, {
    config: { access: open },
    schema,
    handler: async (request, reply) => {
      if (!isFromConsole(request)) throw new ApiError('forbidden', 'Only the console can end its session.');
      return reply.code(204).header('Set-Cookie', endedCookie(request)).send();
    },
  });
}
