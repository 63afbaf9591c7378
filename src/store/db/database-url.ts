import pg from 'pg';

/** The message completes "DATABASE_URL …" and never repeats the URL, which may contain a password. */
export class DatabaseUrlError extends Error {}

/**
 * One connection string per server in the URL: `postgresql://user@one:5432,two/db`, as in libpq, or
 * `?host=one,two&port=5432,5433`.
 */
export function parseDatabaseUrl(url: string): { connectionString: string }[] {
  const [, scheme, user = '', hosts = '', path = '', search = ''] =
    /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(url) ?? [];
  if (!scheme)
    throw new DatabaseUrlError(
      'must be a URL of the form postgresql://user:password@host:5432/database; percent-encode special characters in the password',
    );
  const query = new URLSearchParams(search);
  const attributes = query.get('target_session_attrs') ?? 'any';
  if (!['any', 'read-write', 'primary'].includes(attributes))
    throw new DatabaseUrlError(
      'must use target_session_attrs=read-write or primary, because the service writes',
    );
  const ports = query.get('port')?.split(',') ?? [];
  const servers =
    query
      .get('host')
      ?.split(',')
      .map((host, i) => ({ host, port: ports[i] ?? ports[0] ?? '' })) ?? hosts.split(',').map(splitPort);
  return servers.map(({ host, port }) => {
    const number = /^\d{1,5}$/.test(port || '5432') ? Number(port || 5432) : 0;
    if (number < 1 || number > 65_535) throw new DatabaseUrlError('must use ports from 1 to 65535');
    const one = new URLSearchParams(query);
    one.delete('target_session_attrs');
    one.set('host', host || 'localhost');
    one.set('port', String(number));
    return readable(`${scheme}${user ? `${user}@` : ''}${path || '/'}?${one}`);
  });
}

function splitPort(authority: string): { host: string; port: string } {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority) ?? [];
  // The folder of a Unix socket can only appear here with encoded slashes.
  return { host: host.replace(/^\[|\]$/g, '').replace(/%2f/gi, '/'), port };
}

/** The driver would report a bad escape or a missing certificate file only when it connects. */
function readable(connectionString: string): { connectionString: string } {
  try {
    new pg.Client({ connectionString });
    return { connectionString };
  } catch (error) {
    throw new DatabaseUrlError(
      `cannot be used: ${error instanceof Error ? error.message : 'it is malformed'}`,
    );
  }
}
