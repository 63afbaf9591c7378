import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import type { Delivery, One } from '../../client/types.ts';
import {
  pageLimits,
  type RedeliverOnly,
  redeliverChoices,
  redeliverWords,
  secretOverlap,
  type WebhookEvent,
  webhookEvents,
} from '../../vocabulary.ts';
import { clientCommands, group } from '../commands.ts';
import { type ClientConnection, connectClient } from '../connection.ts';
import { confirm, type YesOption } from '../terminal/confirm.ts';
import { usageError } from '../terminal/exit-codes.ts';
import { note } from '../terminal/output.ts';
import { counted, field, parseMoment, wholeNumber } from '../terminal/values.ts';
import { deliveryColumns, deliveryLines, webhookColumns, webhookLines } from './webhooks/lines.ts';
import { eventsOption, listenCommand } from './webhooks/listen.ts';

const webhookId = { '<id>': 'ID of the webhook (whk_…)' };
type Change = { url?: string; events?: WebhookEvent[]; enable?: boolean; disable?: boolean };
type Queued = { queued: number };
type Span = { since?: string; until?: string; only: RedeliverOnly };

export function webhooksCommand(): Command {
  return group('webhooks', 'Manage webhooks: receive events as they happen.', {
    examples: `partner-signals webhooks create https://hooks.example.com/ps
    partner-signals webhooks listen
    partner-signals webhooks deliveries whk_01h…`,
    commands: [
      clientCommands.list('list', 'List webhooks, newest first.', {
        examples: 'partner-signals webhooks list',
        columns: webhookColumns,
        rows: (client, { limit }) => client.webhooks.list({ limit }),
      }),
      clientCommands.one('show', 'Show a webhook.', {
        arguments: webhookId,
        examples: 'partner-signals webhooks show whk_01h…',
        get: (client, _, id) => client.webhooks.get(id),
        lines: webhookLines,
      }),
      clientCommands.one(
        'create',
        'Create a webhook. If the service generates the secret, it is shown only once.',
        {
          arguments: { '<url>': 'HTTPS URL of your receiver' },
          options: [
            eventsOption().default(webhookEvents, 'all'),
            new Option('--secret <secret>', 'secret that signs the deliveries (default: generated)'),
          ],
          examples: 'partner-signals webhooks create https://hooks.example.com/ps --events signal.created',
          get: (client, { events, secret }: { events: WebhookEvent[]; secret?: string }, url) =>
            client.webhooks.register({ url, events, ...(secret ? { secret } : {}) }),
          lines: webhookLines,
        },
      ),
      clientCommands.one('set', 'Change the URL or events of a webhook, or enable or disable it.', {
        arguments: webhookId,
        options: [
          new Option('--url <url>', 'new HTTPS URL of your receiver'),
          eventsOption(),
          new Option('--enable', 'start sending events').conflicts('disable'),
          new Option('--disable', 'stop sending events'),
        ],
        examples: 'partner-signals webhooks set whk_01h… --disable',
        needs: 'Add --url, --events, --enable or --disable.',
        get: (client, { enable, disable, ...change }: Change, id) =>
          client.webhooks.change(id, {
            ...change,
            ...((enable || disable) && { status: enable ? 'enabled' : 'disabled' }),
          }),
        lines: webhookLines,
      }),
      clientCommands.command('delete', 'Delete a webhook and its delivery log.', {
        arguments: webhookId,
        options: [new Option('-y, --yes', 'do not ask for confirmation')],
        examples: 'partner-signals webhooks delete whk_01h… --yes',
        run: remove,
      }),
      clientCommands.one('test', 'Send a sample to a webhook and show the result.', {
        arguments: webhookId,
        examples: 'partner-signals webhooks test whk_01h…',
        get: async (client, _, id) => firstAttempt(client, await client.webhooks.test(id)),
        lines: deliveryLines,
      }),
      clientCommands.one(
        'rotate',
        'Replace the secret of a webhook. Until the overlap ends, deliveries carry both signatures.',
        {
          arguments: webhookId,
          options: [
            new Option('--secret <secret>', 'new secret (default: generated, and shown only once)'),
            field(
              'overlap_seconds',
              '--overlap <seconds>',
              'how long the old secret stays valid; 0 ends it immediately',
            )
              .argParser(wholeNumber(0, secretOverlap.most))
              .default(secretOverlap.default),
          ],
          examples: 'partner-signals webhooks rotate whk_01h… --overlap 3600',
          get: (client, rotation: { secret?: string; overlap_seconds: number }, id) =>
            client.webhooks.rotateSecret(id, rotation),
          lines: webhookLines,
          remark: ({ meta }, { overlap_seconds }) => oldSecretUntil(meta.timestamp, overlap_seconds),
        },
      ),
      clientCommands.list('deliveries', 'List the deliveries to a webhook and their results, newest first.', {
        arguments: webhookId,
        examples: 'partner-signals webhooks deliveries whk_01h… --limit 100',
        columns: deliveryColumns,
        rows: (client, { limit }, id) => client.webhooks.deliveries(id, { limit }),
      }),
      clientCommands.one('redeliver', 'Send one delivery again, or the events of a period to a webhook.', {
        arguments: { '<id>': 'ID of a delivery (dlv_…) or, with --since, of a webhook (whk_…)' },
        options: [
          new Option('--since <when>', 'start: timestamp, date or duration such as 12h').argParser(
            parseMoment('back'),
          ),
          new Option('--until <when>', 'end, in the same formats (default: now)').argParser(
            parseMoment('back'),
          ),
          new Option(
            '--only <which>',
            redeliverChoices.map((choice) => `${choice}: ${redeliverWords[choice]}`).join('; '),
          )
            .choices(redeliverChoices)
            .default('failed'),
        ],
        examples: `partner-signals webhooks redeliver dlv_01h…
          partner-signals webhooks redeliver whk_01h… --since 12h --only missed`,
        get: redeliver,
        lines: (sent) =>
          'queued' in sent
            ? `Queued ${counted(sent.queued, 'delivery', 'deliveries')}.`
            : deliveryLines(sent),
      }),
      listenCommand(),
    ],
  });
}

async function remove(options: YesOption & ClientConnection, id: string): Promise<void> {
  await confirm(`Delete ${id} and its delivery log?`, options);
  await (await connectClient(options)).webhooks.delete(id);
  note(`Deleted ${id}.`);
}

async function redeliver({ webhooks }: Client, span: Span, id: string): Promise<One<Delivery | Queued>> {
  const { since, until = new Date().toISOString(), only } = span;
  if (id.startsWith('dlv_')) return webhooks.redeliver(id);
  if (since === undefined) throw usageError('Add --since to send the events of a period to a webhook.');
  return webhooks.redeliverSpan(id, { since, until, only });
}

/** By the clock of the service, which decides when the old secret ends. */
function oldSecretUntil(rotatedAt: string, overlapSeconds: number): string {
  if (overlapSeconds === 0) return 'The old secret is no longer valid.';
  const until = new Date(Date.parse(rotatedAt) + overlapSeconds * 1000).toISOString();
  return `The old secret stays valid until ${until.slice(0, 19).replace('T', ' ')} UTC. Until then, deliveries carry both signatures.`;
}

/** Waits for the result of the first attempt, which takes at most 15 seconds. */
async function firstAttempt(client: Client, { data: delivery, meta }: One<Delivery>): Promise<One<Delivery>> {
  let seen = delivery;
  for (let waitedMs = 0; isUnderWay(seen) && waitedMs < 20_000; waitedMs += 250) {
    await delay(250);
    const { data } = await client.webhooks.deliveries(delivery.webhook_id, { limit: pageLimits.most }).page();
    seen = data.find(({ id }) => id === delivery.id) ?? seen;
  }
  return { data: seen, meta };
}

function isUnderWay({ status, response_code, error }: Delivery): boolean {
  return status === 'pending' && response_code === null && error === null;
}
