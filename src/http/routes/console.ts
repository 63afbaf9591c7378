import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, notFound } from '../../contract/error.ts';
import type { Router } from '../router.ts';

/** Works from `src/` and from `dist/`. */
const folder = fileURLToPath(new URL('../../../dist/console/', import.meta.url));

const contentTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

type File = { type: string; plain: Buffer; zipped: Buffer | null };

/**
 * The console is a few small files, loaded at start. A request only looks up a name, so no path can lead out of the folder.
 * Every name under `assets/` contains a hash of its content; all other paths are pages of the application.
 */
export async function consoleRoutes(app: Router): Promise<void> {
  const files = await readFiles();

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const path = request.url.split('?', 1)[0]?.replace(/^\/console\/?/, '') ?? '';
    const asset = files.get(path);
    const file = asset ?? (isAppPath(path) ? files.get('index.html') : undefined);
    if (!file) throw notFound('file of the console');
    if (path.startsWith('assets/')) reply.header('Cache-Control', 'public, max-age=31536000, immutable');
    const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '') ? file.zipped : null;
    if (zipped) reply.header('Content-Encoding', 'gzip');
    return reply
      .header('Vary', 'Accept-Encoding')
      .type(file.type)
      .send(zipped ?? file.plain);
  }

  const open = { config: { access: { plane: 'open' } }, schema: { hide: true } } as const;
  // A person who opens the service in a browser wants the console; programs get a 404.
  app.get('/', {
    ...open,
    handler: async (request, reply) => {
      if (!request.headers.accept?.includes('text/html'))
        throw new ApiError('not_found', 'The console is at /console/, the API reference at /docs.');
      return reply.redirect('/console');
    },
  });
  const icon = [...files.keys()].find((name) => /^assets\/icon.*\.svg$/.test(name));
  if (icon)
    app.get('/favicon.ico', {
      ...open,
      handler: async (_request, reply) => reply.redirect(`/console/${icon}`),
    });
  for (const url of ['/console', '/console/*']) {
    app.get(url, { ...open, handler: serve });
  }
}

/** Pages of the application have no dot in their path; a missing file must not return a page. */
function isAppPath(path: string): boolean {
  return !path.startsWith('assets/') && !path.includes('.');
}

async function readFiles(): Promise<Map<string, File>> {
  const files = new Map<string, File>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const plain = await readFile(path);
    const extension = extname(path);
    files.set(relative(folder, path).split(sep).join('/'), {
      type: contentTypes[extension] ?? 'application/octet-stream',
      plain,
      // Fonts are already compressed.
      zipped: extension === '.woff2' ? null : await promisify(gzip)(plain),
    });
  }
  return files;
}
