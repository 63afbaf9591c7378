import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { List, One, PageQuerySchema } from '../../contract/envelope.ts';
import { invalidField, invalidFields } from '../../contract/error.ts';
import { fieldErrors } from '../../contract/values/validation.ts';
import {
  ChangeWebhookSchema,
  DeliverySchema,
  EmptySchema,
  NewWebhookSchema,
  queuedDelivery,
  RedeliveredSchema,
  RedeliverSchema,
  RegisterWebhookSchema,
  RotateSecretSchema,
  WebhookSchema,
} from '../../contract/webhook.ts';
import { redeliver, redeliverSpan } from '../../domain/redeliver.ts';
import { changeWebhook, registerWebhook, rotateWebhookSecret, testWebhook } from '../../domain/webhooks.ts';
import { listDeliveries } from '../../store/delivery/deliveries.ts';
import { deleteWebhook, findWebhook, listWebhooks } from '../../store/delivery/webhooks.ts';
import { secretOverlap } from '../../vocabulary.ts';
import { byId } from '../call.ts';
import type { Context } from '../context.ts';
import { read, routeTable, write } from '../route-table.ts';
import type { Router } from '../router.ts';

const queued = { examples: [{ data: queuedDelivery }] };

export function webhookRoutes(app: Router, ctx: Context): void {
  const route = routeTable(app, ctx, 'Webhooks');

  route('POST /v1/webhooks', 'registerWebhook', write, {
    summary: 'Register a webhook',
    description:
      'Registers a URL that events of the given kinds are delivered to from now on. A generated secret is shown only once. Your plan limits the number of webhooks.',
    body: RegisterWebhookSchema,
    response: { 201: One(NewWebhookSchema, 'The webhook, with its secret if the service generated it.') },
    config: { refuses: ['limit_reached'] },
    options: { attachValidation: true },
    handler: async (call) => {
      await checkFields(call.request);
      const secret = call.body.secret ?? ctx.generateSecret();
      return call.post(201, async (tx) => ({
        ...(await registerWebhook(tx, call.orgId, { ...call.body, secret }, ctx.keyring)),
        ...(call.body.secret === undefined ? { secret } : {}),
      }));
    },
  });

  route('GET /v1/webhooks', 'listWebhooks', read, {
    summary: 'List webhooks',
    description: 'Lists webhooks, newest first.',
    querystring: PageQuerySchema,
    response: { 200: List(WebhookSchema, 'A page of webhooks.') },
    handler: (call) => call.page((...page) => listWebhooks(call.read, call.orgId, ...page), byId),
  });

  route('GET /v1/webhooks/:webhook_id', 'getWebhook', read, {
    summary: 'Get a webhook',
    description: 'Returns a webhook, with the reason if it is disabled.',
    response: { 200: One(WebhookSchema, 'The webhook.') },
    handler: async (call) => call.one(await findWebhook(call.read, call.orgId, call.ids.webhook_id)),
  });

  route('PATCH /v1/webhooks/:webhook_id', 'changeWebhook', write, {
    summary: 'Change a webhook',
    description:
      'Changes the URL, the kinds of event, or the status. Disabling a webhook fails its pending deliveries; you can redeliver them later.',
    body: ChangeWebhookSchema,
    response: { 200: One(WebhookSchema, 'The webhook.') },
    options: { attachValidation: true },
    handler: async (call) => {
      const { webhook_id } = call.ids;
      await checkFields(call.request);
      return call.one(await call.write((tx) => changeWebhook(tx, call.orgId, webhook_id, call.body)));
    },
  });

  route('DELETE /v1/webhooks/:webhook_id', 'deleteWebhook', write, {
    summary: 'Delete a webhook',
    description: 'Deletes the webhook and its delivery log. Nothing more is delivered to it.',
    response: { 204: Type.Null({ description: 'The webhook is deleted.' }) },
    handler: async (call) => {
      const { webhook_id } = call.ids;
      return call.gone(await call.write((tx) => deleteWebhook(tx, call.orgId, webhook_id)));
    },
  });

  route('POST /v1/webhooks/:webhook_id/test', 'testWebhook', write, {
    summary: 'Send a test',
    description:
      'Sends a sample signal.created event with the header X-Webhook-Test: true. Returns the pending delivery.',
    body: Type.Optional(EmptySchema),
    response: { 202: One(DeliverySchema, 'The pending delivery.', queued) },
    config: { bodyOptional: true, refuses: ['webhook_disabled'] },
    handler: (call) => call.post(202, (tx) => testWebhook(tx, call.orgId, call.ids.webhook_id)),
  });

  route('POST /v1/webhooks/:webhook_id/rotate_secret', 'rotateWebhookSecret', write, {
    summary: 'Rotate the secret',
    description:
      'Replaces the secret. During the overlap, the body is signed with the old secret and the header carries the signatures of both.',
    body: Type.Optional(RotateSecretSchema),
    response: {
      200: One(NewWebhookSchema, 'The webhook, with its new secret if the service generated it.'),
    },
    config: { bodyOptional: true, refuses: ['limit_reached'] },
    handler: (call) => {
      const { secret: given, overlap_seconds = secretOverlap.default } = call.body;
      const secret = given ?? ctx.generateSecret();
      return call.post(200, async (tx) => {
        const { orgId, ids } = call;
        return {
          ...(await rotateWebhookSecret(tx, orgId, ids.webhook_id, secret, overlap_seconds, ctx.keyring)),
          ...(given === undefined ? { secret } : {}),
        };
      });
    },
  });

  route('GET /v1/webhooks/:webhook_id/deliveries', 'listDeliveries', read, {
    summary: 'List deliveries',
    description: 'Lists the deliveries of a webhook and their results, newest first. Kept for 30 days.',
    querystring: PageQuerySchema,
    response: { 200: List(DeliverySchema, 'A page of deliveries.') },
    handler: async (call) => {
      const { id } = call.found(await findWebhook(call.read, call.orgId, call.ids.webhook_id));
      return call.page((...page) => listDeliveries(call.read, call.orgId, id, ...page), byId);
    },
  });

  route('POST /v1/webhooks/:webhook_id/redeliver', 'redeliverEvents', write, {
    summary: 'Redeliver the events of a period',
    description:
      'Queues the events of a period again: deliveries that failed, events missed while the webhook was disabled, or all of them.',
    body: RedeliverSchema,
    response: { 202: One(RedeliveredSchema, 'Number of deliveries queued.') },
    config: { refuses: ['webhook_disabled'] },
    handler: async (call) => {
      const { since, until } = call.body;
      if (new Date(since) >= new Date(until))
        throw invalidField('until', 'out_of_range', 'must be after since');
      return call.post(202, async (tx) => ({
        queued: await redeliverSpan(tx, call.orgId, call.ids.webhook_id, call.body),
      }));
    },
  });

  route('POST /v1/deliveries/:delivery_id/redeliver', 'redeliverDelivery', write, {
    summary: 'Redeliver a delivery',
    description: 'Sends a delivery again with the same body.',
    body: Type.Optional(EmptySchema),
    response: { 202: One(DeliverySchema, 'The pending delivery.', queued) },
    config: { bodyOptional: true, refuses: ['webhook_disabled'] },
    handler: (call) => call.post(202, (tx) => redeliver(tx, call.orgId, call.ids.delivery_id)),
  });

  /** A schema cannot check a URL. Its errors are reported together with the others. */
  async function checkFields({ body, validationError }: FastifyRequest): Promise<void> {
    const details = validationError ? fieldErrors(validationError.validation, 'body') : [];
    const { url } = (body ?? {}) as { url?: unknown };
    if (typeof url === 'string' && !details.some(({ field }) => field === 'url')) {
      const message = await ctx.checkWebhookUrl(url);
      if (message) details.push({ field: 'url', code: 'invalid_value', message });
    }
    if (details.length > 0) throw invalidFields(details);
  }
}
