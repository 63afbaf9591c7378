import type pg from 'pg';
import type { DeliveryId, EventId, OrganizationId, PartnerId, WebhookId } from '../contract/ids.ts';
import type { SignalState, SignalType } from '../vocabulary.ts';

/** What a read needs: a pool or a transaction. A write that belongs to a cause takes a `Tx`. */
export type Queryable = Pick<pg.Pool, 'query'>;

type Statement = { name?: string; text: string; values?: unknown[] };

export async function all<Row extends pg.QueryResultRow>(
  db: Pick<Queryable, 'query'>,
  statement: Statement,
): Promise<Row[]> {
  return (await db.query<Row>(statement)).rows;
}

export async function first<Row extends pg.QueryResultRow>(
  db: Pick<Queryable, 'query'>,
  statement: Statement,
): Promise<Row | undefined> {
  return (await all<Row>(db, statement))[0];
}

/** One transaction: its statements, and what it writes last. */
export type Tx = Pick<pg.PoolClient, 'query'> & { last: LastWrites };

/** A signal of a partner that came into a state, from another or new. */
export type SignalMove = {
  partner_id: PartnerId;
  type: SignalType;
  from: SignalState | null;
  to: SignalState;
};

export type NewDelivery = { id: DeliveryId; webhook_id: WebhookId; event_id: EventId };

/** Which of an organization's turns: that of a webhook, or the one for everything else. */
export type TurnOf = WebhookId | '';

/**
 * Collected during the transaction and written right before its commit: others wait for these rows, so they are locked
 * as briefly as possible, always in the same order. All of one organization.
 */
export type LastWrites = {
  orgId?: OrganizationId;
  moves: SignalMove[];
  deliveries: NewDelivery[];
  /** When to look at the latest; null is now. */
  turns: Map<TurnOf, Date | null>;
  events: EventId[];
  /** Of what the organization is shown. */
  isChange: boolean;
};

export function noLastWrites(): LastWrites {
  return { moves: [], deliveries: [], turns: new Map(), events: [], isChange: false };
}

export function lastWritesOf(tx: Tx, orgId: OrganizationId): LastWrites {
  tx.last.orgId ??= orgId;
  if (tx.last.orgId !== orgId) throw new Error('A transaction writes for one organization only.');
  return tx.last;
}

/** Runs `run` so that all it did can be undone, when it throws, without ending the transaction. */
export async function savepoint<T>(tx: Tx, run: () => Promise<T>): Promise<T> {
  const { last } = tx;
  tx.last = {
    ...last,
    moves: [...last.moves],
    deliveries: [...last.deliveries],
    turns: new Map(last.turns),
    events: [...last.events],
  };
  await tx.query('savepoint operation');
  try {
    const done = await run();
    // Else one around this one would be undone only to here.
    await tx.query('release savepoint operation');
    return done;
  } catch (error) {
    await tx.query('rollback to savepoint operation; release savepoint operation');
    tx.last = last;
    throw error;
  }
}
