import type { OrganizationId } from '../../contract/ids.ts';
import { oneOf, run, wrote } from '../db/statement.ts';
import type { Tx, Upkeep } from '../db/tx.ts';

export type IdempotencyScope = {
  orgId: OrganizationId;
  caller: string;
  method: string;
  path: string;
  key: string;
};

export type StoredAnswer = { request_hash: Buffer; status: number; answer: Buffer };

const scopeCondition = `org_id = $1 and caller = $2 and method = $3 and path = $4 and key = $5`;
const scopeValues = ({ caller, method, path, key }: IdempotencyScope) => [caller, method, path, key];

/**
 * True for the first caller. A concurrent second call waits on the row of the first until that commits (then false) or rolls
 * back (then true). A row older than 24 hours counts as absent.
 */
export const claimIdempotencyKey = wrote<[scope: IdempotencyScope, requestHash: Buffer]>({
  name: 'claim_idempotency_key',
  writes: ['idempotency_keys'],
  text: `
    insert into idempotency_keys as k (org_id, caller, method, path, key, request_hash, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6, now(), now() + interval '24 hours')
    on conflict (org_id, caller, method, path, key) do update
    set request_hash = excluded.request_hash, status = null, answer = null,
      created_at = excluded.created_at, expires_at = excluded.expires_at
    where k.expires_at < excluded.created_at`,
  values: (scope, requestHash) => [...scopeValues(scope), requestHash],
});

export const findAnswer = oneOf<StoredAnswer, [scope: IdempotencyScope], Tx>({
  name: 'find_answer',
  text: `select request_hash, status, answer from idempotency_keys where ${scopeCondition}`,
  values: scopeValues,
});

export const saveAnswer = run<[scope: IdempotencyScope, status: number, answer: Buffer]>({
  name: 'save_answer',
  writes: ['idempotency_keys'],
  text: `update idempotency_keys set status = $6, answer = $7 where ${scopeCondition}`,
  values: (scope, status, answer) => [...scopeValues(scope), status, answer],
});

const stepRows = 1_000;

/** One small step, so that it never locks many rows; returns whether there may be more. */
export const deleteOldIdempotencyKeys = wrote<[], Upkeep>(
  {
    name: 'delete_old_answers',
    writes: ['idempotency_keys'],
    text: `
      delete from idempotency_keys where org_id = $1 and (caller, method, path, key) in (
        select caller, method, path, key from idempotency_keys
        where org_id = $1 and expires_at < now() order by expires_at limit ${stepRows}
        for update skip locked)`,
  },
  stepRows,
);
