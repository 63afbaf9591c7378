import { setTimeout as delay } from 'node:timers/promises';
import { Command, Option } from 'commander';
import type { Client } from '../client/client.ts';
import type { Delivery } from '../client/types.ts';
import type { Redeliver, WebhookEvent } from '../contract/webhook.ts';
import { redeliveries, webhookEvents } from './choices.ts';
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
import { moment, severalOf, wholeNumber } from './values.ts';
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
    .argument('<id>', 'whk_…')
    .action(async (id: string, options: One) => {
      const { data } = await (await connectClient(options)).webhooks.get(id);
      await writeOne(data, options, webhookLines);
    });
  const add = new Command('add')
    .description('Register a webhook. A secret that the service makes is printed this once.')
    .argument('<address>', 'https://…, where events are sent')
    .addOption(eventsOption().default(webhookEvents, 'all'))
    .option('--secret <secret>', 'what its deliveries are signed with; absent, the service makes one')
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
    .description('Change a webhook: its address, its events, or whether it is enabled.')
    .argument('<id>', 'whk_…')
    .option('--address <address>', 'https://…, where events are sent')
    .addOption(eventsOption())
    .addOption(new Option('--enable', 'send events to it').conflicts('disable'))
    .option('--disable', 'send nothing more to it')
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
          throw usageError('Give --address, --events, --enable or --disable.');
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
    .description('Remove a webhook with the log of its deliveries.')
    .argument('<id>', 'whk_…')
    .option('-y, --yes', 'do not ask')
    .action(async (id: string, options: YesOption & ClientConnection) => {
      await confirm(`Remove ${id} and the log of its deliveries?`, options);
      await (await connectClient(options)).webhooks.delete(id);
      note(`${id} is removed.`);
    });
  const test = new Command('test')
    .description('Send a sample to a webhook and show what came of it.')
    .argument('<id>', 'whk_…')
    .action(async (id: string, options: One) => {
      const client = await connectClient(options);
      const { data } = await client.webhooks.test(id);
      await writeOne(await firstAttempt(client, data), options, deliveryLines);
    });
  const rotate = new Command('rotate')
    .description('Give a webhook a new secret; until the overlap ends, deliveries carry both signatures.')
    .argument('<id>', 'whk_…')
    .option('--secret <secret>', 'the new secret; absent, the service makes one and it is printed this once')
    .addOption(
      new Option('--overlap <seconds>', 'how long the old one still holds; absent, a day').argParser(
        wholeNumber(0, 2_592_000),
      ),
    )
    .action(
      async (id: string, { secret, overlap, ...options }: { secret?: string; overlap?: number } & One) => {
        const client = await connectClient(options);
        const { data } = await client.webhooks.rotateSecret(id, { secret, overlap_seconds: overlap });
        await writeOne(data, options, webhookLines);
      },
    );
  const deliveries = new Command('deliveries')
    .description('List what was sent to a webhook and what came of it, newest first.')
    .argument('<id>', 'whk_…')
    .action(async (id: string, options: ListOptions & ClientConnection) => {
      const client = await connectClient(options);
      await writeList(options, deliveryColumns, (limit) => client.webhooks.deliveries(id, { limit }));
    });
  const redeliver = new Command('redeliver')
    .description('Send one delivery again, or those of a webhook in a span of time.')
    .argument('<id>', 'dlv_… for one delivery, whk_… for a span')
    .addOption(
      new Option('--since <when>', 'a timestamp, a date, or a span such as 12h').argParser(moment('back')),
    )
    .addOption(new Option('--until <when>', 'the same; absent, now').argParser(moment('back')))
    .addOption(
      new Option('--only <which>', 'given up, missed while it was disabled, or all')
        .choices(redeliveries)
        .default('failed'),
    )
    .action(
      async (
        id: string,
        { since, until, only, ...options }: { since?: string; until?: string; only: Redeliver['only'] } & One,
      ) => {
        const client = await connectClient(options);
        if (id.startsWith('dlv_')) {
          const { data } = await client.webhooks.redeliver(id);
          return writeOne(data, options, deliveryLines);
        }
        if (since === undefined) throw usageError('Give --since for the deliveries of a webhook.');
        const span = { since, until: until ?? new Date().toISOString(), only };
        const { data } = await client.webhooks.redeliverSpan(id, span);
        await writeOne(data, options, ({ queued }) => `${queued} queued.`);
      },
    );

  return new Command('webhooks')
    .description('Events to your own address, as they happen.')
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

function eventsOption(): Option {
  return severalOf('--events <events>', 'which events', webhookEvents);
}

/** A delivery is under way when the service names it, and begun before its outcome is known; at most 15 seconds. */
async function firstAttempt(client: Client, delivery: Delivery): Promise<Delivery> {
  let seen = delivery;
  for (let waitedMs = 0; isUnderWay(seen) && waitedMs < 20_000; waitedMs += 250) {
    await delay(250);
    const { data } = await client.webhooks.deliveries(delivery.webhook_id, { limit: 100 }).page();
    seen = data.find(({ id }) => id === delivery.id) ?? seen;
  }
  return seen;
}

function isUnderWay({ status, response_code, error }: Delivery): boolean {
  return status === 'pending' && response_code === null && error === null;
}
