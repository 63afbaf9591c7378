import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyContextConfig } from 'fastify';
import { eventSchemas } from '../../contract/event.ts';
import { moveToComponents } from './components.ts';
import { addExamples } from './examples.ts';
import { info, securitySchemes, servers, tags } from './info.ts';
import { describeOperation, otherResponses } from './operation.ts';
import type { Document } from './parts.ts';
import { rewrite } from './rewrite.ts';
import { webhooks } from './webhooks.ts';

/**
 * Routes declare what is specific to them: schemas, a summary, errors. What applies to all of them (keys, limits, headers,
 * errors) is added here, and every schema with a title becomes a component.
 */
export function documentOptions(): FastifyDynamicSwaggerOptions {
  const configs = new Map<string, FastifyContextConfig>();
  return {
    openapi: { openapi: '3.1.0', info, servers, tags, components: { securitySchemes } },
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => {
      if (schema?.operationId) configs.set(schema.operationId, route.config ?? {});
      return { schema, url };
    },
    transformObject: (made) => {
      const document = structuredClone('openapiObject' in made ? made.openapiObject : {}) as Document;
      for (const [method, operation] of operationsOf(document)) {
        const config = configs.get(operation.operationId);
        if (!config) throw new Error(`an operation has no operationId: ${operation.summary}`);
        describeOperation(method, operation, config);
      }
      document.webhooks = webhooks();
      document['x-other-responses'] = otherResponses();
      return moveToComponents(addExamples(rewrite(document, completeSchema) as Document)) as never;
    },
  };
}

/** Adds what only readers of the document need: the data of each kind of event, and the type of an enum. */
function completeSchema(node: Record<string, unknown>): unknown {
  if (node.title === 'Event') {
    const oneOf = rewrite(Object.values(eventSchemas), completeSchema);
    return { title: 'Event', type: 'object', oneOf, description: 'Something that happened.' };
  }
  return 'enum' in node && !('type' in node) ? { type: 'string', ...node } : node;
}

function operationsOf({ paths }: Document) {
  return Object.values(paths).flatMap((path) => Object.entries(path));
}
