import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Client, createClient } from '../client/client.ts';
import type { ClientError } from '../client/client-error.ts';
import { createOperatorClient, type OperatorClient } from '../client/operator-client.ts';
import type { ClientOptions } from '../client/send.ts';
import { usageError } from './exit-codes.ts';
import { note } from './output.ts';

export type Connection = { url: string; ca?: string; dataDir: string };
export type ClientConnection = Connection & { key?: string; actor?: string };
export type OperatorConnection = Connection & { operatorKey?: string };

/** A command that speaks with a key of an organization. */
export function withClient(command: Command): Command {
  return withConnection(
    command,
    new Option('--key <key>', "an API key; absent, that of a local service's demo").env(
      'PARTNER_SIGNALS_KEY',
    ),
    new Option('--actor <name>', 'who is behind the key, for the history').env('PARTNER_SIGNALS_ACTOR'),
  );
}

/** A command that speaks with an operator's key. */
export function withOperator(command: Command): Command {
  return withConnection(
    command,
    new Option('--operator-key <key>', 'an operator key; absent, that of a local service').env(
      'OPERATOR_KEY',
    ),
  );
}

export function withConnection(command: Command, ...keys: Option[]): Command {
  const options = [
    new Option('--url <url>', 'where the service is; that of a local one is found by itself')
      .env('PARTNER_SIGNALS_URL')
      .default('https://localhost:8443')
      .argParser(origin),
    ...keys,
    new Option('--ca <file>', 'an authority to trust too; that of a local service is found by itself').env(
      'PARTNER_SIGNALS_CA',
    ),
    new Option('--data-dir <dir>', "a local service's own folder, where its keys and its authority are")
      .env('DATA_DIR')
      .default('./data'),
  ];
  for (const option of options) command.addOption(option.helpGroup('Connection:'));
  return command.hook('preAction', (_parent, action) => {
    if (action.getOptionValueSource('url') !== 'default') return;
    const file = join(action.opts().dataDir, 'service.url');
    if (existsSync(file)) action.setOptionValue('url', readFileSync(file, 'utf8').trim());
  });
}

type Patience = Pick<ClientOptions, 'maxRetries'>;

export async function connectClient(options: ClientConnection, patience: Patience = {}): Promise<Client> {
  const key = options.key ?? (await keyFile(options, 'demo.key', '--key or PARTNER_SIGNALS_KEY'));
  return createClient({ ...(await reach(options)), ...patience, key, actor: options.actor });
}

export async function connectOperator(options: OperatorConnection): Promise<OperatorClient> {
  const key =
    options.operatorKey ?? (await keyFile(options, 'operator.key', '--operator-key or OPERATOR_KEY'));
  return createOperatorClient({ ...(await reach(options)), key });
}

/** How to reach the service, without a key. */
export async function reach({ url, ca, dataDir }: Connection) {
  const { createHttpsFetch } = await import('./https-fetch.ts');
  const own = join(dataDir, 'tls/ca.pem');
  return {
    baseUrl: url,
    // A person waits: about a second and a half until a service that is away is called so.
    maxRetries: 2,
    onWait: sayWait,
    fetch: createHttpsFetch(
      ca
        ? [...(await import('node:tls')).rootCertificates, await readAuthority(ca)]
        : isLocal(url) && existsSync(own)
          ? [await readFile(own, 'utf8')]
          : undefined,
    ),
  };
}

/** A limit is waited out for up to a minute, which would otherwise look like a standstill. */
function sayWait(waitMs: number, { code }: ClientError): void {
  if (code === 'rate_limited')
    note(`The limit of the plan is reached; going on in ${Math.ceil(waitMs / 1000)} seconds.`);
}

async function readAuthority(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(`--ca: ${error.message}`);
  });
}

/** The keys in DATA_DIR are those of the service on this machine: they are sent nowhere else. */
async function keyFile({ url, dataDir }: Connection, name: string, instead: string): Promise<string> {
  const file = join(dataDir, name);
  if (!isLocal(url) || !existsSync(file))
    throw usageError(`No key: there is no ${file} of a service on this machine; give one by ${instead}.`);
  return (await readFile(file, 'utf8')).trim();
}

function isLocal(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}

function origin(text: string): string {
  if (!URL.canParse(text) || !text.startsWith('https://'))
    throw new InvalidArgumentError('It takes an address that begins with https://.');
  return text.replace(/\/+$/, '');
}
