import type pg from 'pg';
import type { DeliveryId, EventId, OrganizationId, PartnerId, WebhookId } from '../../contract/ids.ts';
import type { SignalState, SignalType } from '../../vocabulary.ts';
import type { Table, UnshownTable } from './tables.ts';

/** A statement and the tables that it writes; in tests, `checkWrites` compares these with those that were written. */
export type Statement<Writes extends Table = Table> = {
  name?: string;
  text: string;
  values?: unknown[];
  writes?: readonly Writes[];
};

type Query<Writes extends Table> = <Row extends pg.QueryResultRow = pg.QueryResultRow>(
  statement: Statement<Writes>,
) => Promise<Pick<pg.QueryResult<Row>, 'rows' | 'rowCount'>>;

/** The owner of what operators do: exports and idempotency keys. No organization has this ID. */
export const operators = 'operator' as OrganizationId;

/** Can only read. */
export type Reader = { query: Query<never> };
/** Can also write tables that clients never see. */
export type Upkeep = { query: Query<UnshownTable> };
/** The same in one transaction. */
export type UpkeepTx = Upkeep & { last: LastWrites };
/** A transaction that can write every table. */
export type Tx = { query: Query<Table>; last: LastWrites; holdsFacts: boolean };
/** A transaction with the facts lock: no other transaction derives signals or credit from the facts meanwhile. */
export type FactsTx = Tx & { holdsFacts: true };

/** Makes the transaction run again with the facts lock, in the organization's queue. */
export class FactsNeeded extends Error {}

/** For code that discovers late that it needs the facts lock, which must be the first lock of a transaction. */
export function requireFacts(tx: Tx): asserts tx is FactsTx {
  if (!tx.holdsFacts) throw new FactsNeeded();
}

type Asked = [Tx, Statement] | [Upkeep, Statement<UnshownTable>] | [Reader, Statement<never>];

export async function all<Row extends pg.QueryResultRow>(...[db, statement]: Asked): Promise<Row[]> {
  return (await (db as Tx).query<Row>(statement)).rows;
}

export async function first<Row extends pg.QueryResultRow>(...asked: Asked): Promise<Row | undefined> {
  return (await all<Row>(...asked))[0];
}

/** A signal that changed its state, or is new. */
export type SignalMove = {
  partner_id: PartnerId;
  type: SignalType;
  from: SignalState | null;
  to: SignalState;
};

export type NewDelivery = { id: DeliveryId; webhook_id: WebhookId; event_id: EventId };

/**
 * Collected during the transaction and written right before its commit: other transactions wait for these rows, so they are
 * locked as briefly as possible, always in the same order.
 */
export type LastWrites = {
  orgId: OrganizationId;
  moves: SignalMove[];
  deliveries: NewDelivery[];
  /** Webhooks that have deliveries to send. */
  dueWebhooks: Set<WebhookId>;
  /** When the organization is to be checked for other work, if it is. */
  workDueAt: Date | 'now' | null;
  events: EventId[];
  /** Whether the transaction changed data that the organization can see. */
  isChange: boolean;
};

export function noLastWrites(orgId: OrganizationId): LastWrites {
  return {
    orgId,
    moves: [],
    deliveries: [],
    events: [],
    isChange: false,
    dueWebhooks: new Set(),
    workDueAt: null,
  };
}

export function lastWritesOf({ last }: UpkeepTx, orgId: OrganizationId): LastWrites {
  if (last.orgId !== orgId) throw new Error('A transaction writes for one organization only.');
  return last;
}

/** Runs `run` so that its writes can be undone if it throws, without ending the transaction. */
export async function savepoint<T>(tx: Tx, run: () => Promise<T>): Promise<T> {
  const { last } = tx;
  tx.last = {
    ...last,
    moves: [...last.moves],
    deliveries: [...last.deliveries],
    dueWebhooks: new Set(last.dueWebhooks),
    events: [...last.events],
  };
  await tx.query({ text: 'savepoint operation' });
  try {
    const done = await run();
    // Otherwise an outer savepoint of the same name would only be rolled back to this one.
    await tx.query({ text: 'release savepoint operation' });
    return done;
  } catch (error) {
    await tx.query({ text: 'rollback to savepoint operation; release savepoint operation' });
    tx.last = last;
    throw error;
  }
}
