import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { ClientError } from '../../client/client-error.ts';
import { unreachable } from '../../client/send.ts';
import {
  type ClientConnection,
  connectClient,
  connectOperator,
  type OperatorConnection,
  reach,
} from '../connection.ts';
import { CommandError } from '../terminal/exit-codes.ts';
import { explain } from '../terminal/failure.ts';
import { clockFinding, type Finding, fail, ok, warn } from './finding.ts';

export async function* checkService(options: ClientConnection & OperatorConnection): AsyncGenerator<Finding> {
  const { baseUrl, fetch } = await reach(options);
  const ask = (path: string) => fetch(`${baseUrl}${path}`, { signal: AbortSignal.timeout(10_000) });
  try {
    const asked = Date.now();
    const health = await ask('/healthz');
    // The header has whole seconds.
    const offsetMs = Date.parse(health.headers.get('date') ?? '') + 500 - (asked + Date.now()) / 2;
    if (!health.ok)
      return yield fail(
        'service',
        `${baseUrl} returned ${health.status}`,
        'Check --base-url. Is another program listening there?',
      );
    yield ok('service', `running at ${baseUrl}`);
    yield await checkServedCertificate(baseUrl);
    yield clockFinding('service clock', offsetMs);
    const ready = await ask('/readyz');
    yield ready.ok
      ? ok('readiness', 'ready')
      : fail(
          'readiness',
          `not ready (${ready.status})`,
          'The service cannot reach its database. See its log.',
        );
  } catch (cause) {
    return yield fail('service', ...sentences(unreachable(baseUrl, cause)));
  }
  yield await checkKey('key', async () => {
    const { data } = await (await connectClient(options)).me();
    return `valid for ${data.organization.name}, scopes: ${data.scopes.join(', ')}`;
  });
  yield await checkKey('operator key', async () => {
    await (await connectOperator(options)).organizations.list({ limit: 1 }).page();
    return 'valid';
  });
}

/** The requests have already shown that it is trusted and valid for this host. */
async function checkServedCertificate(baseUrl: string): Promise<Finding> {
  const { hostname, port } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({
    host,
    port: Number(port || 443),
    servername: isIP(host) ? '' : host,
    rejectUnauthorized: false,
  });
  await once(socket, 'secureConnect');
  const { valid_to } = socket.getPeerCertificate();
  socket.destroy();
  const days = Math.floor((Date.parse(valid_to) - Date.now()) / 86_400_000);
  return days < 14
    ? warn('served', `certificate expires in ${days} days`, 'Renew the certificate.')
    : ok('served', `certificate valid for ${days} more days`);
}

async function checkKey(name: string, use: () => Promise<string>): Promise<Finding> {
  try {
    return ok(name, await use());
  } catch (error) {
    if (error instanceof CommandError) return warn(name, 'none', error.message);
    if (error instanceof ClientError && error.code === 'forbidden')
      return ok(name, `valid, but cannot read: ${error.message}`);
    return fail(name, ...sentences(error));
  }
}

/** The first sentence says what happened, the rest what to do. */
function sentences(error: unknown): [message: string, advice: string] {
  const [line = ''] = explain(error).lines;
  const end = line.indexOf('. ') + 1;
  return end > 0 ? [line.slice(0, end - 1), line.slice(end + 1)] : [line, ''];
}
