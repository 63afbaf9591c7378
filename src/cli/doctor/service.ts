import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { ClientError } from '../../client/client-error.ts';
import {
  type ClientConnection,
  connectClient,
  connectOperator,
  type OperatorConnection,
  reach,
} from '../connection.ts';
import { CommandError } from '../exit-codes.ts';
import { explain } from '../failure.ts';
import { clockFinding, type Finding, fail, ok, warn } from './finding.ts';

export async function* checkService(options: ClientConnection & OperatorConnection): AsyncGenerator<Finding> {
  const { baseUrl, fetch } = await reach(options);
  const ask = (path: string) => fetch(`${baseUrl}${path}`, { signal: AbortSignal.timeout(10_000) });
  try {
    const asked = Date.now();
    const health = await ask('/healthz');
    // The header counts whole seconds.
    const offsetMs = Date.parse(health.headers.get('date') ?? '') + 500 - (asked + Date.now()) / 2;
    if (!health.ok)
      return yield fail(
        'service',
        `${baseUrl} answered ${health.status}`,
        'Check --url: is it this service?',
      );
    yield ok('service', `answers at ${baseUrl}`);
    yield await checkServedCertificate(baseUrl);
    yield clockFinding('service clock', offsetMs);
    const ready = await ask('/readyz');
    yield ready.ok
      ? ok('readiness', 'ready')
      : fail('readiness', `not ready (${ready.status})`, 'It cannot reach its database: see its log.');
  } catch (cause) {
    const unreachable = new ClientError('unreachable', `${baseUrl} cannot be reached.`, { cause });
    return yield fail('service', ...sentences(unreachable));
  }
  yield await checkKey('key', 'it may read', async () => {
    await (await connectClient(options)).signals.list({ limit: 1 }).page();
  });
  yield await checkKey('operator key', 'it may operate', async () => {
    await (await connectOperator(options)).organizations.list({ limit: 1 }).page();
  });
}

/** That it is trusted, and for this host, the requests have shown. */
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
    ? warn('served', `the certificate expires in ${days} days`, 'Renew it.')
    : ok('served', `the certificate is good for ${days} days`);
}

/** No route says what a key may do; one that reads says whether it may read. */
async function checkKey(name: string, able: string, use: () => Promise<void>): Promise<Finding> {
  try {
    await use();
    return ok(name, `works: ${able}`);
  } catch (error) {
    if (error instanceof CommandError) return warn(name, 'none', error.message);
    if (error instanceof ClientError && error.code === 'forbidden')
      return ok(name, `works, and may not read: ${error.message}`);
    return fail(name, ...sentences(error));
  }
}

/** What happened, and after it what to do. */
function sentences(error: unknown): [message: string, advice: string] {
  const [line = ''] = explain(error).lines;
  const end = line.indexOf('. ') + 1;
  return end > 0 ? [line.slice(0, end - 1), line.slice(end + 1)] : [line, ''];
}
