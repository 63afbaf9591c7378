import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Client, createClient } from '../client/client.ts';
import type { ClientError } from '../client/client-error.ts';
import { createOperatorClient, type OperatorClient } from '../client/operator-client.ts';
import { betterServiceUrl, trimSlashes } from '../client/send.ts';
import { usageError } from './terminal/exit-codes.ts';
import { note } from './terminal/output.ts';

export type Connection = { baseUrl: string; ca?: string; dataDir: string };
export type ClientConnection = Connection & { key?: string; actor?: string };
export type OperatorConnection = Connection & { operatorKey?: string };

/** A command that uses a key of an organization. */
export function withClient(command: Command): Command {
  return withConnection(
    command,
    new Option('--key <key>', 'API key (default: the demo key of a local service)').env(
      'PARTNER_SIGNALS_KEY',
    ),
    new Option('--actor <name>', 'your name, shown in the history of what you change')
      .env('PARTNER_SIGNALS_ACTOR')
      .argParser(oneLine),
  );
}

/** A command that uses an operator key. */
export function withOperator(command: Command): Command {
  return withConnection(
    command,
    new Option('--operator-key <key>', 'operator key (default: the key of a local service)').env(
      'OPERATOR_KEY',
    ),
  );
}

export function withConnection(command: Command, ...keys: Option[]): Command {
  const options = [
    new Option('--base-url <url>', 'URL of the service; a local one is detected automatically')
      .env('PARTNER_SIGNALS_URL')
      .default('https://localhost:8443')
      .argParser(origin),
    ...keys,
    new Option(
      '--ca <file>',
      'extra CA certificate to trust; the one of a local service is detected automatically',
    ).env('PARTNER_SIGNALS_CA'),
    new Option('--data-dir <dir>', 'data folder of a local service, with its keys and CA certificate')
      .env('DATA_DIR')
      .default('./data'),
  ];
  for (const option of options) command.addOption(option.helpGroup('Connection:'));
  return command.hook('preAction', (_parent, action) => {
    if (action.getOptionValueSource('baseUrl') !== 'default') return;
    const file = join(action.opts().dataDir, 'service.url');
    if (existsSync(file)) action.setOptionValue('baseUrl', readFileSync(file, 'utf8').trim());
  });
}

/** By default a person waits: give up on an unreachable service after about a second and a half. */
export async function connectClient(options: ClientConnection, maxRetries = 2): Promise<Client> {
  const key = await keyOf(options);
  return createClient({ ...(await reach(options)), maxRetries, key, actor: options.actor });
}

/** The API key to use. */
export async function keyOf(options: ClientConnection): Promise<string> {
  const where = '--key or PARTNER_SIGNALS_KEY';
  return checkedKey(options.key ?? (await keyFile(options, 'demo.key', 'API key', where)), where);
}

export async function connectOperator(options: OperatorConnection): Promise<OperatorClient> {
  const where = '--operator-key or OPERATOR_KEY';
  const given = options.operatorKey ?? (await keyFile(options, 'operator.key', 'operator key', where));
  return createOperatorClient({ ...(await reach(options)), maxRetries: 2, key: checkedKey(given, where) });
}

/** How to reach the service, without a key. */
export async function reach({ baseUrl, ca, dataDir }: Connection) {
  const { createHttpsFetch } = await import('./https-fetch.ts');
  const own = join(dataDir, 'tls/ca.pem');
  return {
    baseUrl,
    onWait: sayWait,
    fetch: createHttpsFetch(
      ca
        ? [...(await import('node:tls')).rootCertificates, await readCa(ca)]
        : isLocal(baseUrl) && existsSync(own)
          ? [await readFile(own, 'utf8')]
          : undefined,
    ),
  };
}

/** The client waits up to a minute for the rate limit to reset. Without a message that looks like a hang. */
function sayWait(waitMs: number, { code }: ClientError): void {
  if (code === 'rate_limited') note(`Rate limit reached. Continuing in ${Math.ceil(waitMs / 1000)} seconds.`);
}

async function readCa(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(
      `--ca (PARTNER_SIGNALS_CA) must be the PEM file of a CA certificate. Cannot read ${file}: ${error.message}`,
    );
  });
}

/** The keys in DATA_DIR belong to the service on this machine and are never sent anywhere else. */
async function keyFile(
  { baseUrl, dataDir }: Connection,
  name: string,
  what: string,
  instead: string,
): Promise<string> {
  const file = join(dataDir, name);
  if (!isLocal(baseUrl)) throw usageError(`No ${what} found for ${baseUrl}. Set ${instead}.`);
  if (!existsSync(file))
    throw usageError(
      `No ${what} found: there is no file ${file}. Set ${instead}, or set --data-dir or DATA_DIR to the data folder of a local service.`,
    );
  return readFile(file, 'utf8');
}

/** Variables that are set from a file often end in a line break. Inside a key, it would be refused as a header. */
function checkedKey(text: string, where: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw usageError(
    `The key in ${where} is empty, or contains a line break, a space or another character that no key has.`,
  );
}

function isLocal(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}

function oneLine(text: string): string {
  if (/\p{Cc}/u.test(text.trim())) throw new InvalidArgumentError('Enter one line of text.');
  return text.trim();
}

function origin(text: string): string {
  if (!URL.canParse(text) || !text.startsWith('https://'))
    throw new InvalidArgumentError('Enter a URL that begins with https://.');
  const instead = betterServiceUrl(text);
  if (instead) throw new InvalidArgumentError(`Enter the URL of the service only: ${instead}`);
  return trimSlashes(text);
}
