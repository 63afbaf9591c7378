import type { FastifyRequest } from 'fastify';
import { invalidField } from '../../contract/error.ts';
import type { ChangedBy } from '../../store/signals/signal-changes.ts';
import { callerOf } from '../router.ts';

/** The author of a change: the key, and the person behind it if the caller names one. */
export function changedBy(request: FastifyRequest): ChangedBy {
  const { key_id, key_name } = callerOf(request);
  return { key_id, key_name, actor: actorOf(request) };
}

function actorOf(request: FastifyRequest): string | null {
  const header = request.headers['x-actor'];
  if (header === undefined) return null;
  // Node reads headers as Latin-1; people's names arrive as UTF-8.
  const actor = Buffer.from(String(header), 'latin1').toString('utf8').trim();
  if ([...actor].length > 200 || actor.includes('\0')) {
    throw invalidField('X-Actor', 'too_long', 'must have at most 200 characters');
  }
  return actor === '' ? null : actor;
}
