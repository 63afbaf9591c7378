import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { List, One, PageQuery, strict } from '../../contract/envelope.ts';
import { invalidFields, notFound } from '../../contract/error.ts';
import { reference } from '../../contract/field.ts';
import { isId, type OrganizationId, type WebhookId } from '../../contract/ids.ts';
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
import { transaction } from '../../store/connection.ts';
import { listDeliveries } from '../../store/webhooks/deliveries.ts';
import { deleteWebhook, findWebhook, listWebhooks } from '../../store/webhooks/webhooks.ts';
import { answerPost, envelope, listEnvelope } from '../answer.ts';
import type { Context } from '../context.ts';
import { callerOf, type Router } from '../router.ts';
import { fieldErrors } from '../validation.ts';

const tags = ['Webhooks'];
const read = { access: { plane: 'client', scope: 'read' } } as const;
const write = { access: { plane: 'client', scope: 'write' } } as const;
/** No body or {}. */
const bodyless = { config: { ...write, bodyOptional: true }, preValidation: absentIsEmpty };
const params = Type.Object({ webhook_id: reference('webhook', 'The webhook.') });
const queued = { examples: [{ data: queuedDelivery }] };

export function webhookRoutes(app: Router, ctx: Context): void {
  app.post('/v1/webhooks', {
    config: { ...write, refuses: ['limit_reached'] },
    attachValidation: true,
    schema: {
      operationId: 'registerWebhook',
      tags,
      summary: 'Register a webhook',
      description:
        'From now on, events of the given kinds are delivered to the URL. The secret is shown only once. Your plan limits the number of webhooks.',
      body: RegisterWebhookSchema,
      response: { 201: One(NewWebhookSchema, 'The webhook, with its secret if the service generated it.') },
    },
    handler: async (request, reply) => {
      await checkFields(request);
      const secret = request.body.secret ?? ctx.generateSecret();
      await answerPost(ctx, request, reply, 201, async (tx) => ({
        ...(await registerWebhook(tx, callerOf(request).org_id, { ...request.body, secret }, ctx.keyring)),
        ...(request.body.secret === undefined ? { secret } : {}),
      }));
    },
  });

  app.get('/v1/webhooks', {
    config: read,
    schema: {
      operationId: 'listWebhooks',
      tags,
      summary: 'List webhooks',
      description: 'Lists webhooks, newest first.',
      querystring: Type.Object(PageQuery, strict),
      response: { 200: List(WebhookSchema, 'A page of webhooks.') },
    },
    handler: (request) => {
      const { org_id } = callerOf(request);
      return listEnvelope(
        ctx,
        request,
        (limit, after) => listWebhooks(ctx.pool, org_id, limit, after),
        (webhook) => [webhook.id],
      );
    },
  });

  app.get('/v1/webhooks/:webhook_id', {
    config: read,
    schema: {
      operationId: 'getWebhook',
      tags,
      summary: 'Get a webhook',
      description: 'Returns a webhook, with the reason if it is disabled.',
      params,
      response: { 200: One(WebhookSchema, 'The webhook.') },
    },
    handler: async (request) =>
      envelope(request, await existing(callerOf(request).org_id, request.params.webhook_id)),
  });

  app.patch('/v1/webhooks/:webhook_id', {
    config: write,
    attachValidation: true,
    schema: {
      operationId: 'changeWebhook',
      tags,
      summary: 'Change a webhook',
      description:
        'Changes the URL, the kinds of event, or the status. Disabling a webhook fails its pending deliveries; you can redeliver them later.',
      params,
      body: ChangeWebhookSchema,
      response: { 200: One(WebhookSchema, 'The webhook.') },
    },
    handler: async (request) => {
      const { org_id } = callerOf(request);
      const id = webhookId(request.params.webhook_id);
      await checkFields(request);
      return envelope(
        request,
        await transaction(ctx.pool, (tx) => changeWebhook(tx, org_id, id, request.body)),
      );
    },
  });

  app.delete('/v1/webhooks/:webhook_id', {
    config: write,
    schema: {
      operationId: 'deleteWebhook',
      tags,
      summary: 'Delete a webhook',
      description: 'Deletes the webhook and its delivery log. Nothing more is delivered to it.',
      params,
      response: { 204: Type.Null({ description: 'The webhook is deleted.' }) },
    },
    handler: async (request, reply) => {
      const { org_id } = callerOf(request);
      const id = webhookId(request.params.webhook_id);
      if (!(await transaction(ctx.pool, (tx) => deleteWebhook(tx, org_id, id)))) throw notFound('webhook');
      return reply.code(204).send(null);
    },
  });

  app.post('/v1/webhooks/:webhook_id/test', {
    ...bodyless,
    config: { ...bodyless.config, refuses: ['invalid_transition'] },
    schema: {
      operationId: 'testWebhook',
      tags,
      summary: 'Send a test',
      description:
        'Sends a sample signal.created event with the header X-Webhook-Test: true. Returns the pending delivery.',
      params,
      body: Type.Optional(EmptySchema),
      response: { 202: One(DeliverySchema, 'The pending delivery.', queued) },
    },
    handler: async (request, reply) => {
      const { org_id } = callerOf(request);
      await answerPost(ctx, request, reply, 202, (tx) =>
        testWebhook(tx, org_id, webhookId(request.params.webhook_id)),
      );
      ctx.hint();
    },
  });

  app.post('/v1/webhooks/:webhook_id/rotate_secret', {
    ...bodyless,
    config: { ...bodyless.config, refuses: ['invalid_transition'] },
    schema: {
      operationId: 'rotateWebhookSecret',
      tags,
      summary: 'Rotate the secret',
      description:
        'During the overlap, the body is signed with the old secret and the header carries both signatures.',
      params,
      body: Type.Optional(RotateSecretSchema),
      response: {
        200: One(NewWebhookSchema, 'The webhook, with its new secret if the service generated it.'),
      },
    },
    handler: async (request, reply) => {
      const { org_id } = callerOf(request);
      const { secret: given, overlap_seconds = 86_400 } = request.body ?? {};
      const secret = given ?? ctx.generateSecret();
      await answerPost(ctx, request, reply, 200, async (tx) => ({
        ...(await rotateWebhookSecret(
          tx,
          org_id,
          webhookId(request.params.webhook_id),
          secret,
          overlap_seconds,
          ctx.keyring,
        )),
        ...(given === undefined ? { secret } : {}),
      }));
    },
  });

  app.get('/v1/webhooks/:webhook_id/deliveries', {
    config: read,
    schema: {
      operationId: 'listDeliveries',
      tags,
      summary: 'List deliveries',
      description: 'Lists the deliveries of a webhook and their results, newest first. Kept for 30 days.',
      params,
      querystring: Type.Object(PageQuery, strict),
      response: { 200: List(DeliverySchema, 'A page of deliveries.') },
    },
    handler: async (request) => {
      const { org_id } = callerOf(request);
      const { id } = await existing(org_id, request.params.webhook_id);
      return listEnvelope(
        ctx,
        request,
        (limit, after) => listDeliveries(ctx.pool, org_id, id, limit, after),
        (delivery) => [delivery.id],
      );
    },
  });

  app.post('/v1/webhooks/:webhook_id/redeliver', {
    config: { ...write, refuses: ['invalid_transition'] },
    schema: {
      operationId: 'redeliverEvents',
      tags,
      summary: 'Redeliver a time span',
      description:
        'Queues deliveries that failed, that were missed while the webhook was disabled, or all of them.',
      params,
      body: RedeliverSchema,
      response: { 202: One(RedeliveredSchema, 'Number of deliveries queued.') },
    },
    handler: async (request, reply) => {
      const { org_id } = callerOf(request);
      const { since, until } = request.body;
      if (new Date(since) >= new Date(until)) {
        throw invalidFields([{ field: 'until', code: 'out_of_range', message: 'must be after since' }]);
      }
      await answerPost(ctx, request, reply, 202, async (tx) => ({
        queued: await redeliverSpan(tx, org_id, webhookId(request.params.webhook_id), request.body),
      }));
      ctx.hint();
    },
  });

  app.post('/v1/deliveries/:delivery_id/redeliver', {
    ...bodyless,
    config: { ...bodyless.config, refuses: ['invalid_transition'] },
    schema: {
      operationId: 'redeliverDelivery',
      tags,
      summary: 'Redeliver',
      description: 'Sends a delivery again with the same body.',
      params: Type.Object({ delivery_id: reference('delivery', 'The delivery.') }),
      body: Type.Optional(EmptySchema),
      response: { 202: One(DeliverySchema, 'The pending delivery.', queued) },
    },
    handler: async (request, reply) => {
      const { org_id } = callerOf(request);
      const { delivery_id } = request.params;
      await answerPost(ctx, request, reply, 202, async (tx) => {
        if (!isId('dlv', delivery_id)) throw notFound('delivery');
        return redeliver(tx, org_id, delivery_id);
      });
      ctx.hint();
    },
  });

  /** No schema can tell what is wrong with an address; it is named together with whatever else is wrong. */
  async function checkFields({ body, validationError }: FastifyRequest): Promise<void> {
    const details = validationError ? fieldErrors(validationError.validation, 'body') : [];
    const { url } = (body ?? {}) as { url?: unknown };
    if (typeof url === 'string' && !details.some(({ field }) => field === 'url')) {
      const message = await ctx.checkWebhookUrl(url);
      if (message) details.push({ field: 'url', code: 'invalid_value', message });
    }
    if (details.length > 0) throw invalidFields(details);
  }

  async function existing(orgId: OrganizationId, id: string) {
    const webhook = await findWebhook(ctx.pool, orgId, webhookId(id));
    if (!webhook) throw notFound('webhook');
    return webhook;
  }
}

/** A body that may be left out: the validator would take its absence for null. */
async function absentIsEmpty(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}

function webhookId(id: string): WebhookId {
  if (!isId('whk', id)) throw notFound('webhook');
  return id;
}
