import { setTimeout as delay } from 'node:timers/promises';
import { Command, Option } from 'commander';
import type { Client } from '../client/client.ts';
import type { Delivery } from '../client/types.ts';
import {
  pageLimits,
  type RedeliverOnly,
  redeliverChoices,
  redeliverWords,
  secretOverlap,
  type WebhookEvent,
  webhookEvents,
} from '../vocabulary.ts';
import { confirm, type YesOption } from './confirm.ts';
import { type ClientConnection, connectClient, withClient } from './connection.ts';
import { usageError } from './exit-codes.ts';
import {
  type JsonOption,
  type ListOptions,
  note,
  withExamples,
  withJson,
  withList,
  writeList,
  writeOne,
} from './output.ts';
import { formatNumber, moment, severalOf, wholeNumber } from './values.ts';
import { columns, deliveryColumns, deliveryLines, webhookLines } from './webhooks-lines.ts';
import { listenCommand } from './webhooks-listen.ts';

type One = JsonOption & ClientConnection;

export function webhooksCommand(): Command {
  const list = new Command('list')
    .description('List webhooks, newest first.')
    .action(async (options: ListOptions & ClientConnection) => {
      const client = await connectClient(options);
      await writeList(options, columns, (limit) => client.webhooks.list({ limit }));
    });
  const show = new Command('show')
    .description('Show a webhook.')
    .argument('<id>', 'ID of the webhook (whk_…)')
    .action(async (id: string, options: One) => {
      const { data } = await (await connectClient(options)).webhooks.get(id);
      await writeOne(data, options, webhookLines);
    });
  const add = new Command('add')
    .description('Register a webhook. If the service generates the secret, it is shown only once.')
    .argument('<url>', 'HTTPS URL of your receiver')
    .addOption(eventsOption().default(webhookEvents, 'all'))
    .option('--secret <secret>', 'secret that signs the deliveries (default: generated)')
    .action(
      async (
        url: string,
        { events, secret, ...options }: { events: WebhookEvent[]; secret?: string } & One,
      ) => {
        const client = await connectClient(options);
        const { data } = await client.webhooks.register({ url, events, ...(secret ? { secret } : {}) });
        await writeOne(data, options, webhookLines);
      },
    );
  const set = new Command('set')
    .description('Change the URL or events of a webhook, or enable or disable it.')
    .argument('<id>', 'ID of the webhook (whk_…)')
    .option('--address <url>', 'new HTTPS URL of your receiver')
    .addOption(eventsOption())
    .addOption(new Option('--enable', 'start sending events').conflicts('disable'))
    .option('--disable', 'stop sending events')
    .action(
      async (
        id: string,
        {
          address,
          events,
          enable,
          disable,
          ...options
        }: { address?: string; events?: WebhookEvent[]; enable?: boolean; disable?: boolean } & One,
      ) => {
        if (!address && !events && !enable && !disable)
          throw usageError('Add --address, --events, --enable or --disable.');
        const client = await connectClient(options);
        const { data } = await client.webhooks.change(id, {
          ...(address ? { url: address } : {}),
          ...(events ? { events } : {}),
          ...(enable || disable ? { status: enable ? 'enabled' : 'disabled' } : {}),
        });
        await writeOne(data, options, webhookLines);
      },
    );
  const remove = new Command('remove')
    .description('Remove a webhook and its delivery log.')
    .argument('<id>', 'ID of the webhook (whk_…)')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (id: string, options: YesOption & ClientConnection) => {
      await confirm(`Remove ${id} and its delivery log?`, options);
      await (await connectClient(options)).webhooks.delete(id);
      note(`Removed ${id}.`);
    });
  const test = new Command('test')
    .description('Send a sample to a webhook and show the result.')
    .argument('<id>', 'ID of the webhook (whk_…)')
    .action(async (id: string, options: One) => {
      const client = await connectClient(options);
      const { data } = await client.webhooks.test(id);
      await writeOne(await firstAttempt(client, data), options, deliveryLines);
    });
  const rotate = new Command('rotate')
    .description('Replace the secret of a webhook. Until the overlap ends, deliveries carry both signatures.')
    .argument('<id>', 'ID of the webhook (whk_…)')
    .option('--secret <secret>', 'new secret (default: generated, and shown only once)')
    .addOption(
      new Option('--overlap <seconds>', 'how long the old secret stays valid; 0 ends it immediately')
        .argParser(wholeNumber(0, secretOverlap.most))
        .default(secretOverlap.default),
    )
    .action(
      async (id: string, { secret, overlap, ...options }: { secret?: string; overlap: number } & One) => {
        const client = await connectClient(options);
        const { data, meta } = await client.webhooks.rotateSecret(id, { secret, overlap_seconds: overlap });
        await writeOne(data, options, webhookLines);
        note(oldSecretUntil(meta.timestamp, overlap));
      },
    );
  const deliveries = new Command('deliveries')
    .description('List the deliveries to a webhook and their results, newest first.')
    .argument('<id>', 'ID of the webhook (whk_…)')
    .action(async (id: string, options: ListOptions & ClientConnection) => {
      const client = await connectClient(options);
      await writeList(options, deliveryColumns, (limit) => client.webhooks.deliveries(id, { limit }));
    });
  const redeliver = new Command('redeliver')
    .description('Send one delivery again, or the events of a period to a webhook.')
    .argument('<id>', 'ID of a delivery (dlv_…) or, with --since, of a webhook (whk_…)')
    .addOption(
      new Option('--since <when>', 'start: timestamp, date or duration such as 12h').argParser(
        moment('back'),
      ),
    )
    .addOption(
      new Option('--until <when>', 'end, in the same formats (default: now)').argParser(moment('back')),
    )
    .addOption(
      new Option(
        '--only <which>',
        redeliverChoices.map((choice) => `${choice}: ${redeliverWords[choice]}`).join('; '),
      )
        .choices(redeliverChoices)
        .default('failed'),
    )
    .action(
      async (
        id: string,
        { since, until, only, ...options }: { since?: string; until?: string; only: RedeliverOnly } & One,
      ) => {
        const client = await connectClient(options);
        if (id.startsWith('dlv_')) {
          const { data } = await client.webhooks.redeliver(id);
          return writeOne(data, options, deliveryLines);
        }
        if (since === undefined) throw usageError('Add --since to send the events of a period to a webhook.');
        const span = { since, until: until ?? new Date().toISOString(), only };
        const { data } = await client.webhooks.redeliverSpan(id, span);
        await writeOne(
          data,
          options,
          ({ queued }) => `Queued ${formatNumber(queued)} ${queued === 1 ? 'delivery' : 'deliveries'}.`,
        );
      },
    );

  return withExamples(
    new Command('webhooks').description('Manage webhooks: receive events as they happen.'),
    `partner-signals webhooks add https://hooks.example.com/ps
    partner-signals webhooks listen
    partner-signals webhooks deliveries whk_01h…`,
  )
    .addCommand(withExamples(withClient(withList(list)), 'partner-signals webhooks list'))
    .addCommand(withExamples(withClient(withJson(show)), 'partner-signals webhooks show whk_01h…'))
    .addCommand(
      withExamples(
        withClient(withJson(add)),
        'partner-signals webhooks add https://hooks.example.com/ps --events signal.created',
      ),
    )
    .addCommand(withExamples(withClient(withJson(set)), 'partner-signals webhooks set whk_01h… --disable'))
    .addCommand(withExamples(withClient(remove), 'partner-signals webhooks remove whk_01h… --yes'))
    .addCommand(withExamples(withClient(withJson(test)), 'partner-signals webhooks test whk_01h…'))
    .addCommand(
      withExamples(withClient(withJson(rotate)), 'partner-signals webhooks rotate whk_01h… --overlap 3600'),
    )
    .addCommand(
      withExamples(
        withClient(withList(deliveries)),
        'partner-signals webhooks deliveries whk_01h… --limit 100',
      ),
    )
    .addCommand(
      withExamples(
        withClient(withJson(redeliver)),
        `partner-signals webhooks redeliver dlv_01h…
        partner-signals webhooks redeliver whk_01h… --since 12h --only missed`,
      ),
    )
    .addCommand(listenCommand());
}

/** By the clock of the service, which decides when the old secret ends. */
function oldSecretUntil(rotatedAt: string, overlapSeconds: number): string {
  if (overlapSeconds === 0) return 'The old secret is no longer valid.';
  const until = new Date(Date.parse(rotatedAt) + overlapSeconds * 1000).toISOString();
  return `The old secret stays valid until ${until.slice(0, 19).replace('T', ' ')} UTC. Until then, deliveries carry both signatures.`;
}

function eventsOption(): Option {
  return severalOf('--events <events>', 'events to receive', webhookEvents);
}

/** Waits for the result of the first attempt, which takes at most 15 seconds. */
async function firstAttempt(client: Client, delivery: Delivery): Promise<Delivery> {
  let seen = delivery;
  for (let waitedMs = 0; isUnderWay(seen) && waitedMs < 20_000; waitedMs += 250) {
    await delay(250);
    const { data } = await client.webhooks.deliveries(delivery.webhook_id, { limit: pageLimits.most }).page();
    seen = data.find(({ id }) => id === delivery.id) ?? seen;
  }
  return seen;
}

function isUnderWay({ status, response_code, error }: Delivery): boolean {
  return status === 'pending' && response_code === null && error === null;
}
