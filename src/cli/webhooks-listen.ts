import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Command, Option } from 'commander';
import type { Client } from '../client/client.ts';
import { ClientError } from '../client/client-error.ts';
import type { WebhookPayload } from '../client/types.ts';
import { verifyWebhook } from '../client/verify-webhook.ts';
import type { WebhookEvent } from '../contract/webhook.ts';
import { webhookEvents } from './choices.ts';
import { type ClientConnection, connectClient, withClient } from './connection.ts';
import { CommandError } from './exit-codes.ts';
import { type JsonOption, note, onClosedOutput, withExamples, write } from './output.ts';
import { clean } from './table.ts';
import { severalOf, wholeNumber } from './values.ts';

type Options = {
  events: WebhookEvent[];
  port: number;
  register: boolean;
  secret?: string;
  forwardTo?: string;
} & JsonOption &
  ClientConnection;

export function listenCommand(): Command {
  const command = new Command('listen')
    .description('Receive deliveries on this machine, verify each of them and print it, until Ctrl-C.')
    .addOption(severalOf('--events <events>', 'which events', webhookEvents).default(webhookEvents, 'all'))
    .addOption(
      new Option('--port <n>', 'the port on loopback; 0 takes a free one')
        .argParser(wholeNumber(0, 65_535))
        .default(0),
    )
    .option('--secret <secret>', 'the secret of the registration; absent, one is made')
    .option('--no-register', 'do not register a webhook; print the address and the secret to do so')
    .option('--forward-to <url>', 'send each delivery on to this address, and answer as it does')
    .option('--json', 'for programs: NDJSON, one JSON document a delivery')
    .addHelpText(
      'after',
      `
The service must be allowed to send to this machine: start it with WEBHOOK_ALLOW_PRIVATE=true. One on this machine then
trusts the certificate of this receiver; any other also needs WEBHOOK_CA_FILE, set to the file that this command names.`,
    )
    .action(listen);
  return withExamples(
    withClient(command),
    `WEBHOOK_ALLOW_PRIVATE=true npm start
    partner-signals webhooks listen
    partner-signals webhooks listen --events signal.created --json | jq .data.account.name
    partner-signals webhooks listen --forward-to http://localhost:3000/hooks`,
  );
}

async function listen(options: Options): Promise<void> {
  const { startReceiver } = await import('./webhooks-receiver.ts');
  const client = options.register ? await connectClient(options) : null;
  const secret = options.secret ?? `whsec_${randomBytes(24).toString('base64')}`;
  let awaitsSample = client !== null;
  let sampleArrived = () => {};
  const receiver = await startReceiver(options.dataDir, options.port, async (body, headers) => {
    const payload = await verifyWebhook(body, secret, { headers }).catch((error: Error) => {
      note(`Refused what came: ${clean(error.message)}`);
      return null;
    });
    if (!payload) return 400;
    // The first sample is the one that was asked for below.
    if (headers['x-webhook-test'] === 'true' && awaitsSample) {
      awaitsSample = false;
      sampleArrived();
      return 200;
    }
    await write(options.json ? JSON.stringify(asDocument(payload, headers)) : asLine(payload, headers));
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
      note(`Listening at ${receiver.url} as ${webhookId}. Ctrl-C ends it and removes the registration.`);
      const arrived = new Promise<void>((resolve) => {
        sampleArrived = resolve;
      });
      void checkSample(client, webhookId, receiver.caFile, arrived);
    } else {
      note(`Listening. Register this webhook, with --events of your choice:

  address    ${receiver.url}
  secret     ${secret}

The service needs WEBHOOK_ALLOW_PRIVATE=true and WEBHOOK_CA_FILE=${receiver.caFile}. Ctrl-C ends this.`);
    }
    await stopped;
  } finally {
    if (client && webhookId) {
      await client.webhooks.delete(webhookId).then(
        () => note(`${webhookId} is removed.`),
        (error: Error) =>
          note(
            `${webhookId} could not be removed (${error.message}): partner-signals webhooks remove ${webhookId}`,
          ),
      );
    }
    receiver.close();
  }
}

async function register(
  client: Client,
  { url, caFile }: { url: string; caFile: string },
  rest: { events: WebhookEvent[]; secret: string },
): Promise<string> {
  try {
    return (await client.webhooks.register({ url, ...rest })).data.id;
  } catch (error) {
    const refused =
      error instanceof ClientError &&
      error.details.some(({ field, code }) => field === 'url' && code === 'invalid_value');
    if (!refused) throw error;
    throw new CommandError(
      `The service sends to no private address (request ${error.request_id}): start it with WEBHOOK_ALLOW_PRIVATE=true and WEBHOOK_CA_FILE=${caFile}, or give --no-register and register an address that leads here yourself.`,
    );
  }
}

/** Whether deliveries get here is known only from one: a service that does not trust the receiver fails in silence. */
async function checkSample(
  client: Client,
  webhookId: string,
  caFile: string,
  arrived: Promise<void>,
): Promise<void> {
  try {
    await client.webhooks.test(webhookId);
    const late = new Promise<'late'>((resolve) => {
      setTimeout(resolve, 5_000, 'late').unref();
    });
    if ((await Promise.race([arrived, late])) !== 'late') return note('A sample arrived: deliveries work.');
    const { data } = await client.webhooks.deliveries(webhookId, { limit: 1 }).page();
    const reason = data[0]?.error ?? data[0]?.response_code ?? 'it is still under way';
    note(
      `The sample has not arrived (${reason}). Was the service started with WEBHOOK_ALLOW_PRIVATE=true and WEBHOOK_CA_FILE=${caFile}?`,
    );
  } catch (error) {
    note(`No sample could be asked for: ${error instanceof Error ? error.message : error}`);
  }
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
    note(`  ${url} answered ${answer.status}.`);
    return answer.status;
  } catch (error) {
    const { cause, message } = error as Error;
    note(`  ${url} cannot be reached: ${cause instanceof Error ? cause.message : message}`);
    return 502;
  }
}

function asDocument(payload: WebhookPayload, headers: IncomingHttpHeaders) {
  const { event, timestamp, data } = payload;
  return { id: headers['webhook-id'], event, timestamp, test: headers['x-webhook-test'] === 'true', data };
}

function asLine({ event, timestamp, data }: WebhookPayload, headers: IncomingHttpHeaders): string {
  const what = 'state' in data ? `${data.type}, ${data.state}` : `${data.tier}, ${data.status}`;
  const test = headers['x-webhook-test'] === 'true' ? ' (test)' : '';
  return clean(
    `${timestamp.slice(0, 19).replace('T', ' ')}  ${event}${test}  ${data.id}  ${what}  ${data.partner.name} → ${data.account.name}`,
  );
}
