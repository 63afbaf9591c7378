import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { Client } from '../../../client/client.ts';
import { ClientError } from '../../../client/client-error.ts';
import type { WebhookPayload } from '../../../client/types.ts';
import { verifyWebhook } from '../../../client/verify-webhook.ts';
import { type WebhookEvent, webhookEvents } from '../../../vocabulary.ts';
import { clientCommands } from '../../commands.ts';
import { type ClientConnection, connectClient } from '../../connection.ts';
import { CommandError } from '../../terminal/exit-codes.ts';
import { type JsonOption, note, onClosedOutput, writeLine } from '../../terminal/output.ts';
import { clean } from '../../terminal/table.ts';
import { severalOf, wholeNumber } from '../../terminal/values.ts';
import { inWords } from '../../terminal/words.ts';
import type { Receiver } from './receiver.ts';

type Options = {
  events: WebhookEvent[];
  port: number;
  register: boolean;
  secret?: string;
  forwardTo?: string;
} & JsonOption &
  ClientConnection;

export function eventsOption(): Option {
  return severalOf('--events <events>', 'events to receive', webhookEvents);
}

export function listenCommand(): Command {
  const description = 'Receive deliveries on this machine, verify and print them. Press Ctrl-C to stop.';
  return clientCommands.command('listen', description, {
    options: [
      eventsOption().default(webhookEvents, 'all'),
      new Option('--port <n>', 'local port; 0 picks a free one').argParser(wholeNumber(0, 65_535)).default(0),
      new Option('--secret <secret>', 'secret of the webhook (default: generated)'),
      new Option('--no-register', 'do not register a webhook; print the URL and secret to register it with'),
      new Option('--forward-to <url>', 'forward each delivery to this URL and return its response status'),
      new Option('--json', 'print JSON, one document per line'),
    ],
    notes: `
The service must be allowed to deliver to this machine: start it with WEBHOOK_ALLOW_PRIVATE=true. If it runs on this
machine and its data folder is --data-dir, nothing else is needed. Otherwise also set WEBHOOK_CA_FILE to the CA
certificate that this command prints.`,
    examples: `WEBHOOK_ALLOW_PRIVATE=true npm start
    partner-signals webhooks listen
    partner-signals webhooks listen --events signal.created --json | jq .data.account.name
    partner-signals webhooks listen --forward-to http://localhost:3000/hooks`,
    run: listen,
  });
}

async function listen(options: Options): Promise<void> {
  const { startReceiver } = await import('./receiver.ts');
  const client = options.register ? await connectClient(options) : null;
  const secret = options.secret ?? `whsec_${randomBytes(24).toString('base64')}`;
  let sampleArrived: (() => void) | undefined;
  const arrived = new Promise<void>((resolve) => {
    if (client) sampleArrived = resolve;
  });
  const receiver = await startReceiver(options.dataDir, options.port, async (body, headers) => {
    const payload = await verifyWebhook(body, secret, { headers }).catch((error: Error) => {
      note(`Rejected a request: ${clean(error.message)}`);
      return null;
    });
    if (!payload) return 400;
    // The first sample is the one requested below.
    if (headers['x-webhook-test'] === 'true' && sampleArrived) {
      sampleArrived();
      sampleArrived = undefined;
      return 200;
    }
    await writeLine(options.json ? JSON.stringify(asDocument(payload, headers)) : asLine(payload, headers));
    return options.forwardTo ? forward(options.forwardTo, body, headers) : 200;
  });

  let webhookId: string | undefined;
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    onClosedOutput(resolve);
  });
  try {
    if (client) {
      webhookId = await register(client, receiver, { events: options.events, secret });
      note(`Listening at ${receiver.url} as ${webhookId}. Press Ctrl-C to stop and delete the webhook.`);
      void checkSample(client, webhookId, receiver, arrived);
    } else {
      note(`Listening. Register this webhook for the events of your choice:

  url        ${receiver.url}
  secret     ${secret}

Start the service with ${neededSettings(receiver)}. Press Ctrl-C to stop listening.`);
    }
    await stopped;
  } finally {
    if (client && webhookId) {
      await client.webhooks.delete(webhookId).then(
        () => note(`Deleted ${webhookId}.`),
        (error: Error) =>
          note(
            `Could not delete ${webhookId} (${error.message}). Run: partner-signals webhooks delete ${webhookId}`,
          ),
      );
    }
    receiver.close();
  }
}

async function register(
  client: Client,
  receiver: Receiver,
  rest: { events: WebhookEvent[]; secret: string },
): Promise<string> {
  try {
    return (await client.webhooks.register({ url: receiver.url, ...rest })).data.id;
  } catch (error) {
    const refused =
      error instanceof ClientError &&
      error.details.some(({ field, code }) => field === 'url' && code === 'invalid_value');
    if (!refused) throw error;
    throw new CommandError(
      `The service does not deliver to private addresses (request ${error.request_id}). Start it with ${neededSettings(receiver)}, or use --no-register and register a public URL that forwards to this receiver.`,
    );
  }
}

/** Only a delivery shows that deliveries arrive: a service that does not trust the receiver reports nothing here. */
async function checkSample(
  client: Client,
  webhookId: string,
  { caFile }: Receiver,
  arrived: Promise<void>,
): Promise<void> {
  try {
    await client.webhooks.test(webhookId);
    const late = delay(5_000, 'late', { ref: false });
    if ((await Promise.race([arrived, late])) !== 'late') return note('A sample arrived. Deliveries work.');
    const { data } = await client.webhooks.deliveries(webhookId, { limit: 1 }).page();
    const reason = data[0]?.error ?? data[0]?.response_code ?? 'still in progress';
    note(
      `The sample has not arrived (${reason}). If the service does not trust the certificate of this receiver, start it with WEBHOOK_CA_FILE=${caFile}.`,
    );
  } catch (error) {
    note(`Could not request a sample: ${error instanceof Error ? error.message : error}`);
  }
}

/** A service that shares our data folder trusts our certificate: it is its own. */
function neededSettings({ isServiceCa, caFile }: Receiver): string {
  return isServiceCa
    ? 'WEBHOOK_ALLOW_PRIVATE=true'
    : `WEBHOOK_ALLOW_PRIVATE=true and WEBHOOK_CA_FILE=${caFile}`;
}

async function forward(url: string, body: Buffer, headers: IncomingHttpHeaders): Promise<number> {
  const passed = Object.entries(headers).filter(([name]) => /^(content-type|(x-)?webhook-.*)$/.test(name));
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: passed as [string, string][],
      signal: AbortSignal.timeout(14_000),
    });
    note(`  ${url} returned ${answer.status}.`);
    return answer.status;
  } catch (error) {
    const { cause, message } = error as Error;
    note(`  Cannot reach ${url}: ${cause instanceof Error ? cause.message : message}`);
    return 502;
  }
}

function asDocument(payload: WebhookPayload, headers: IncomingHttpHeaders) {
  const { event, timestamp, data } = payload;
  return { id: headers['webhook-id'], event, timestamp, test: headers['x-webhook-test'] === 'true', data };
}

function asLine({ event, timestamp, data }: WebhookPayload, headers: IncomingHttpHeaders): string {
  const what =
    'state' in data
      ? `${inWords(data.type)}, ${inWords(data.state)}`
      : `${inWords(data.tier)}, ${data.status}`;
  const test = headers['x-webhook-test'] === 'true' ? ' (test)' : '';
  return clean(
    `${timestamp.slice(0, 19).replace('T', ' ')}  ${event}${test}  ${data.id}  ${what}  ${data.partner.name} → ${data.account.name}`,
  );
}
